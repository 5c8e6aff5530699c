// Draw Promotrot's section of the board: the remainder of each emission, as published.

import { drawer, h } from "../../screens/base/dom.js";
import { cents, count, dayOf, decimal, hourOfDay } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { scenesOf } from "./wall.js";

export function section() {
  const grid = h("div", { class: "grid" });
  const root = h("div", { class: "stack" });
  const [draw, drawCards] = [drawer(root), drawer(grid)];
  let emissions = [];
  return { root, beat: () => {}, tick: () => {}, scenes: () => scenesOf(emissions),
    show: (document) => {
      emissions = document[language] ?? document.ca;
      drawCards(emissions.map((emission) => [emission, () => card(emission)]));
      draw([["heading", () => h("h2", {}, t("promotrot"))],
        emissions.length ? ["games", () => grid] : ["none", () => h("p", { class: "empty" }, t("no_games"))]]);
    } };
}

function card(emission) {
  const fact = (name, value) => h("dl", { class: "tile" }, h("dt", {}, name), h("dd", { class: "figure" }, value));
  return h("article", { class: "card stack" },
    h("h3", {}, emission.name, " ", h("span", { class: "small soft" }, emission.reference)),
    emission.top_prize_left === false ? h("p", { class: "notice warn" }, t("top_prize_gone")) : null,
    h("div", { class: "tiles" }, fact(t("price"), cents(emission.price_cents)), fact(t("board_to_prizes"), `${decimal(emission.prize_percent)} %`),
      fact(t("tickets_left"), count(emission.tickets_remaining))),
    h("table", { class: "table" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("prize")), h("th", { scope: "col", class: "n" }, t("prizes_left")), h("th", { scope: "col", class: "n" }, t("prizes_awarded")))),
      h("tbody", {}, emission.tiers.map((tier) => h("tr", {},
        h("th", { scope: "row" }, tier.thing ? `${tier.thing} (${cents(tier.value_cents)})` : cents(tier.value_cents), tier.extra ? h("span", { class: "badge info" }, t("extra_prize")) : null),
        tier.remaining === null ? h("td", { class: "small soft" }, t("play_decides")) : h("td", { class: "n" }, count(tier.remaining)),
        h("td", { class: "n" }, count(tier.awarded)))))),
    h("p", { class: "small soft" }, t("figures_of", { day: dayOf(emission.as_of), time: hourOfDay(emission.as_of) })),
    h("details", { "data-key": `rules-${emission.reference}`, class: "no-wall" }, h("summary", {}, t("rules")), emission.rules.map((each) => h("p", {}, each))));
}
