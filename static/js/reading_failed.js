// Says so when live parts cannot be read, since when, and takes it back once every one of them answers again.
const notice = document.getElementById("reading-failed");
const failing = new Set();

// A part that was replaced meanwhile is no longer what the event names, but what the request was made for.
function polled({ detail }) {
  const part = detail.requestConfig?.elt ?? detail.elt;
  return part.dataset?.poll === undefined ? null : part.id;
}

function failed(event) {
  const id = polled(event);
  if (id === null) return;
  if (event.detail.xhr?.status === 401) location.reload(); // signed out meanwhile: the page leads to the sign-in
  if (failing.size === 0) {
    const since = notice.querySelector("time");
    since.dateTime = new Date().toISOString();
    since.textContent = new Date().toLocaleTimeString("en-GB");
    notice.hidden = false;
  }
  failing.add(id);
}

for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) document.addEventListener(name, failed);

document.addEventListener("htmx:afterRequest", (event) => {
  if (!event.detail.successful) return;
  failing.delete(polled(event));
  notice.hidden = failing.size === 0;
});

// A poll that is led elsewhere has met the sign-in page too: show that as a page, not inside the live part.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { elt, xhr, pathInfo } = event.detail;
  if (elt?.dataset?.poll === undefined || !xhr.responseURL) return;
  const asked = new URL(pathInfo.requestPath, location.href).pathname;
  if (new URL(xhr.responseURL).pathname !== asked) location.reload();
});
