// Copies an id. Where the browser refuses the clipboard, the id is selected instead, ready for the keys.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const [said, shown] = [button.parentElement.querySelector("[role=status]"), button.parentElement.querySelector("code")];
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    said.textContent = "Copied";
  } catch {
    shown.textContent = button.dataset.copy;
    getSelection().selectAllChildren(shown);
    said.textContent = "Selected";
  }
  setTimeout(() => { said.textContent = ""; }, 4000);
});
