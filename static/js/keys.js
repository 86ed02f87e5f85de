// `?` opens the list of keys.
import { isTyping } from "./typing.js";

document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || isTyping(event)) return;
  event.preventDefault();
  document.getElementById("keys")?.showModal();
});
