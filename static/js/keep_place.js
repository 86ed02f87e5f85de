// A replaced fragment keeps the viewer's place: the focused control, scrolled tables, opened details.
// htmx itself keeps the focus of controls that have an id; this covers those that have none.
let kept = null;

function likeness(control) {
  return [control.tagName, control.getAttribute("href"), control.name, control.value, control.textContent.trim()].join();
}

function all(root, selector) {
  return root.matches(selector) ? [root] : [...root.querySelectorAll(selector)];
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target } = event.detail;
  const active = document.activeElement;
  kept = {
    id: target.id,
    control: target.contains(active) && active !== target && !active.id ? likeness(active) : null,
    scrolled: all(target, ".scroll").map((part) => [part.scrollTop, part.scrollLeft]),
    open: all(target, "details").map((part) => part.open),
  };
});

document.addEventListener("htmx:afterSettle", () => {
  const target = kept?.id && document.getElementById(kept.id);
  if (!target) return;
  all(target, ".scroll").forEach((part, place) => {
    [part.scrollTop, part.scrollLeft] = kept.scrolled[place] ?? [0, 0];
  });
  all(target, "details").forEach((part, place) => { part.open ||= kept.open[place] ?? false; });
  if (kept.control && document.activeElement === document.body) {
    const same = all(target, "a, button, input, select, summary").find((part) => likeness(part) === kept.control);
    (same ?? target).focus();
  }
  kept = null;
});
