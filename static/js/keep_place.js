// A replaced fragment keeps the viewer's place: the focused control, scrolled tables, opened details.
// htmx itself keeps the focus of controls that have an id; this covers those that have none.
const CONTROLS = "a, button, input, select, textarea, summary, .scroll";
let kept = null;

const all = (root, selector) => (root.matches(selector) ? [root] : [...root.querySelectorAll(selector)]);
const likeness = (control) => [control.tagName, control.getAttribute("href"), control.name, control.value].join();

document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  const controls = all(target, CONTROLS);
  const place = controls.findIndex((control) => control === document.activeElement && !control.id);
  kept = {
    id: target.id,
    place,
    likeness: place < 0 ? null : likeness(controls[place]),
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
  if (kept.place >= 0 && document.activeElement === document.body) refocus(all(target, CONTROLS));
  kept = null;
});

// The same control, or the one that stands where it stood: a link that turns the order round has a new address.
function refocus(controls) {
  (controls.find((control) => likeness(control) === kept.likeness) ?? controls[kept.place])?.focus();
}
