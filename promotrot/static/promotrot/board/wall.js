// Draw Promotrot's scene of the wall: the games on sale, their prizes and what is left of them.

import { drawing, h } from "../../screens/base/dom.js";
import { cents, count, dayOf, decimal, hourOfDay } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

const MOST = 4;      // games on the screen at once
const PRIZES = 4;
const SHEET = new URL("../signs.svg", import.meta.url).href;
const SIGNS = ["sulky", "trotter", "horseshoe", "trophy", "rosette", "helmet", "bell", "flag"];

/** Return a scene for every four games. */
export function scenesOf(emissions) {
  const pages = [];
  for (let first = 0; first < emissions.length; first += MOST) pages.push(emissions.slice(first, first + MOST));
  return pages.map((page, number) => ({ key: `promotrot-${number}`, seconds: 12, pinned: false, draw: () => draw(page, number) }));
}

function draw(page, number) {
  return h("article", { class: "scene games" },
    h("header", { class: "wall-head" }, h("h2", {}, t("promotrot"))),
    h("div", { class: `wall-games games-${page.length}` }, page.map((emission, place) => card(emission, SIGNS[(number * MOST + place) % SIGNS.length]))));
}

function card(emission, sign) {
  const prizes = emission.tiers.filter((tier) => !tier.extra).sort((a, b) => b.value_cents - a.value_cents);
  const prizeWords = (tier) => (tier.thing ? tier.thing : cents(tier.value_cents));
  return h("section", { class: "wall-game" },
    drawing(`${SHEET}#${sign}`, { className: "wall-sign" }),
    h("h3", {}, emission.name),
    h("p", { class: "wall-top figure" }, cents(prizes[0]?.value_cents ?? 0)),
    h("table", { class: "wall-table" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("prize")), h("th", { scope: "col", class: "n" }, t("prizes_left")))),
      h("tbody", {}, prizes.slice(0, PRIZES).map((tier) => h("tr", {}, h("th", { scope: "row" }, prizeWords(tier)),
        h("td", { class: "n" }, tier.remaining === null ? "—" : count(tier.remaining)))))),
    h("p", { class: "small soft" }, t("figures_of", { day: dayOf(emission.as_of), time: hourOfDay(emission.as_of) })),
    h("p", { class: "wall-price" }, `${t("price")} `, h("b", { class: "figure" }, cents(emission.price_cents)), h("span", { class: "soft" }, ` · ${t("board_to_prizes")}: ${decimal(emission.prize_percent)} %`)));
}
