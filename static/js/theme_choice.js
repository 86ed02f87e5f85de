// The choice between light, dark and the system's theme, kept in this browser.
const root = document.documentElement;
const meta = document.querySelector("meta[name=color-scheme]");

function apply(chosen) {
  if (chosen === "system") delete root.dataset.theme;
  else root.dataset.theme = chosen;
  meta.content = chosen === "system" ? "light dark" : chosen;
  try { localStorage.setItem("theme", chosen); } catch { /* holds for this page only */ }
}

for (const choice of document.querySelectorAll("[data-theme-choice]")) {
  choice.value = root.dataset.theme ?? "system";
  choice.addEventListener("change", () => apply(choice.value));
}
