// Runs before the first paint, so that a chosen theme never flashes. The only script that is not a module.
{
  const root = document.documentElement;
  root.dataset.scripted = "";
  let chosen = null;
  try { chosen = localStorage.getItem("theme"); } catch { /* storage refused: the system's theme it is */ }
  if (chosen === "light" || chosen === "dark") {
    root.dataset.theme = chosen;
    document.querySelector("meta[name=color-scheme]").content = chosen;
  }
}
