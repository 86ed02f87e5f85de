// Says moments in the viewer's zone and keeps relative ones true. work/wording.py says them the same way.
const THIN = "\u202f";
const shapes = {
  clock: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
  date: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }),
  exact: new Intl.DateTimeFormat("en-GB", {
    weekday: "short", day: "numeric", month: "short", year: "numeric", timeZoneName: "short",
    hour: "2-digit", minute: "2-digit", second: "2-digit",
  }),
};
// A browser's clock may be wrong by hours; a page from its own history carries an old server time.
const isFresh = performance.getEntriesByType("navigation")[0]?.type !== "back_forward";
const offset = isFresh ? Date.parse(document.documentElement.dataset.now) - Date.now() : 0;

function relative(moment) {
  const seconds = Math.round((Date.now() + offset - moment) / 1000);
  const size = Math.abs(seconds);
  if (size < 5) return "now";
  if (size >= 7 * 86400) return shapes.date.format(moment);
  const [step, unit] = [[86400, "day"], [3600, "h"], [60, "min"], [1, "s"]].find(([step]) => size >= step);
  const count = Math.floor(size / step);
  const words = `${count}${THIN}${unit}${unit === "day" && count > 1 ? "s" : ""}`;
  return seconds > 0 ? `${words} ago` : `in ${words}`;
}

function said(shape, moment) {
  return shape === "relative" ? relative(moment) : shapes[shape].format(moment).replace(/^(\w{3}),/, "$1");
}

function refresh() {
  for (const time of document.querySelectorAll("time[data-shape]")) {
    const moment = new Date(time.dateTime);
    time.textContent = said(time.dataset.shape, moment);
    time.title = said("exact", moment);
  }
}

refresh();
setInterval(refresh, 5000);
document.addEventListener("htmx:afterSettle", refresh);
