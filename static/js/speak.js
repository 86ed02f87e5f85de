// Tells a screen reader how live work stands: a status line that outlives the fragments, changed only by new words.
const line = document.getElementById("spoken");

document.addEventListener("htmx:afterSettle", () => {
  const words = [...document.querySelectorAll("[data-speak]")].map((part) => part.dataset.speak).join(". ");
  if (line.textContent !== words) line.textContent = words;
});
