// `/` goes to the find box from anywhere on a page.
import { isTyping } from "./typing.js";

document.addEventListener("keydown", (event) => {
  const box = document.querySelector("[data-find]");
  if (event.key !== "/" || !box || isTyping(event)) return;
  event.preventDefault();
  box.focus();
  box.select();
});
