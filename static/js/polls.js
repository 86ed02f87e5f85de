// Live parts stop reading while nobody looks, or when the viewer says so, and read at once afterwards.
let isPaused = false;

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.dataset.poll !== undefined && (document.hidden || isPaused)) event.preventDefault();
});

document.addEventListener("visibilitychange", readAgain);

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-pause]")) return;
  isPaused = !isPaused;
  labelButtons();
  readAgain();
});

document.addEventListener("htmx:afterSettle", labelButtons);

function readAgain() {
  if (document.hidden || isPaused) return;
  for (const part of document.querySelectorAll("[data-poll]")) window.htmx?.trigger(part, "wake");
}

function labelButtons() {
  for (const button of document.querySelectorAll("[data-pause]")) {
    button.textContent = isPaused ? "Paused: read on" : "Pause";
  }
}
