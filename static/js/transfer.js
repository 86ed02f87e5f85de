// Sends a form with a file and shows how much has been sent. Without script the form sends itself.
import { answered } from "./transfer_answer.js";

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-transfer]")) return;
  event.preventDefault();
  send(event.target, new FormData(event.target, event.submitter));
});

function send(form, data) {
  const shown = form.querySelector("[data-transfer-progress]");
  const [bar, words] = [shown.querySelector("progress"), shown.querySelector("[role=status]")];
  const request = new XMLHttpRequest();
  const buttons = [...form.querySelectorAll("button")];
  const stop = (sentence) => {
    words.textContent = sentence;
    buttons.forEach((button) => { button.disabled = false; });
  };

  request.upload.addEventListener("progress", ({ loaded, total }) => {
    [bar.max, bar.value] = [total, loaded];
    const sent = `${Math.floor((loaded / total) * 10) * 10} % sent`;
    words.textContent = loaded < total ? sent : "Sent. Waiting to be accepted.";
  });
  request.addEventListener("error", () => stop(
    "The connection broke before an answer came. Send it again: one form is never accepted twice."));
  request.addEventListener("load", () => answered(form, request, stop));
  request.open("POST", form.action);
  request.setRequestHeader("X-Transfer", "true"); // answered by 202 and a place: a redirect would be read unseen
  request.send(data);
  buttons.forEach((button) => { button.disabled = true; });
  shown.hidden = false;
}
