// What the answer to a sent form means: go where it leads, show the form with its errors, or say what went wrong.
export function answered(form, request, stop) {
  const place = request.getResponseHeader("Location");
  const wasLedOn = new URL(request.responseURL).pathname !== new URL(form.action).pathname;
  if (request.status < 300 && (place || wasLedOn)) location.assign(place ?? request.responseURL);
  else if (request.status < 300 || request.status === 400 || request.status === 422) show(request);
  else stop(`The server answered with status ${request.status}. The file was not accepted.`);
}

function show(request) {
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  document.querySelector("main").replaceWith(page.querySelector("main"));
  const [first, heading] = ["main [aria-invalid=true]", "main h1"].map((place) => document.querySelector(place));
  (first ?? heading)?.focus();
}
