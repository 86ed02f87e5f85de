// What the answer to a sent form means: go where it leads, show the form with its errors, or say what went wrong.
export function answered(form, request, stop) {
  const place = request.getResponseHeader("Location");
  const wasLedOn = new URL(request.responseURL).pathname !== new URL(form.action).pathname;
  if (request.status < 300 && (place || wasLedOn)) location.assign(place ?? request.responseURL);
  else if (request.status < 300 || request.status === 400 || request.status === 422) show(read(request));
  else if (read(request).querySelector("form[data-transfer]")) show(read(request)); // it says why beside the field
  else if (request.status < 500) stop(`The server answered with status ${request.status}. The file was not accepted.`);
  else stop(`The server answered with status ${request.status}. Send it again in a moment: one form is never accepted twice.`);
}

const read = (request) => new DOMParser().parseFromString(request.responseText, "text/html");

function show(page) {
  document.querySelector("main").replaceWith(page.querySelector("main"));
  const [first, heading] = ["main [aria-invalid=true]", "main h1"].map((place) => document.querySelector(place));
  (first ?? heading)?.focus();
}
