// Says moments in the chosen zone, else the browser's, and keeps relative ones true. In step with work/wording.py.
const THIN = "\u202f";
const { now, zone } = document.documentElement.dataset;
const form = (parts) => new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: zone || undefined });
const day = { day: "numeric", month: "short", year: "numeric" };
const time = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const shapes = {
  clock: form(time),
  date: form(day),
  exact: form({ weekday: "short", ...day, ...time, timeZoneName: "short" }),
};
// A browser's clock may be wrong by hours; a page from its own history carries an old server time.
const isFresh = performance.getEntriesByType("navigation")[0]?.type !== "back_forward";
const offset = isFresh ? Date.parse(now) - Date.now() : 0;

function relative(moment) {
  const seconds = Math.round((Date.now() + offset - moment) / 1000);
  const size = Math.abs(seconds);
  if (size < 5) return "now";
  if (size >= 7 * 86400) return shapes.date.format(moment);
  const [step, unit] = [[86400, "day"], [3600, "h"], [60, "min"], [1, "s"]].find(([step]) => size >= step);
  const words = `${Math.floor(size / step)}${THIN}${unit}${size >= 2 * 86400 ? "s" : ""}`;
  return seconds > 0 ? `${words} ago` : `in ${words}`;
}

function said(shape, moment) {
  return shape === "relative" ? relative(moment) : shapes[shape].format(moment).replace(/^(\w{3}),/, "$1");
}

function refresh() {
  for (const shown of document.querySelectorAll("time[data-shape]")) {
    const moment = new Date(shown.dateTime);
    const words = said(shown.dataset.shape, moment);
    if (shown.textContent !== words) shown.textContent = words; // leaves a selection alone
    shown.title = said("exact", moment);
  }
}
refresh();
setInterval(refresh, 5000);
document.addEventListener("htmx:afterSettle", refresh);
