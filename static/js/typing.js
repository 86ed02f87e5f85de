// Whether a key belongs to what the person is typing, so that shortcuts keep out of the way.
export function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey
    || event.target.closest?.("input, select, textarea, [contenteditable], [role=grid], dialog[open]") !== null;
}
