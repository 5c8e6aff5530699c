// Draw a presented ticket: its numbers, their substitutes for withdrawn horses, and the right ones.

import { h } from "../../screens/base/dom.js";
import { t } from "../../screens/base/text.js";

function mark({ number, trace }, right) {
  const way = trace.length > 1 ? ` → ${trace.slice(1).join(" → ")}` : "";
  return h("span", { class: ["mark", right && "good"] }, h("b", { class: "number" }, String(number)), way, right ? h("span", { class: "small" }, ` ${t("right")}`) : null);
}

export function details(ticket) {
  const rows = ticket.races.map((race) => h("tr", {}, h("th", { scope: "row", class: "figure" }, String(race.position)),
    h("td", {}, h("div", { class: "row" }, race.marks.map((each) => mark(each, race.right.includes(each.number))))),
    h("td", {}, race.winners.join(", ") || "–")));
  const won = (ticket.winning_bets ?? []).map(({ hits, bets }) => h("li", { class: "badge good" }, `${t("right_of_races", { n: hits })} · ${t("bets", { n: bets })}`));
  return h("section", { class: "card stack" }, h("h2", {}, t("bet_of_ticket")), won.length ? h("ul", { class: "row" }, won) : null,
    h("table", { class: "table" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("race")), h("th", { scope: "col" }, t("numbers")), h("th", { scope: "col" }, t("winners")))), h("tbody", {}, rows)));
}
