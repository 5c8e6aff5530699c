// What a game can give, and how: the table that stands beside every ticket.

import { amount, drawing, h } from "../../screens/base/dom.js";
import { cents, count } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

const SHEET = new URL("../signs.svg", import.meta.url).pathname;

/** A sign of the project's own sheet. */
export const sign = (name, label = "") => drawing(`${SHEET}#${name}`, { label, className: "sign" });

/** A prize as people read it: an amount, or a thing with its equivalent. */
export function prizeOf(game, number) {
  const tier = game.screen.tiers.find((each) => each.tier === number);
  if (!tier) return t("no_prize");
  const value = amount(cents(tier.value_cents));
  return tier.thing ? [game.prizes[tier.thing], " (", value, ")"] : value;
}

const kinds = {
  symbols: (game, { winning, match }) => winning.map((name, index) =>
    [[h("span", { class: "signs" }, Array.from({ length: match }, () => sign(name))), ` ${game.labels[name]}`], index + 1]),
  letters: (game, { words }) => words.map((word, index) => [h("b", { class: "word" }, word), index + 1]),
  numbers: (game, { matches }) => matches.map((many, index) => [t("in_common", { n: many }), index + 1]),
  hidden: (game, { deals }) => deals.map((deal) => [
    t("chance_of_main", { weight: deal.weight, of: deals.reduce((sum, each) => sum + each.weight, 0) }), Math.min(...deal.contents.filter(Boolean))]),
  ladder: (game, { rungs }) => rungs.map((rung, index) => [t("rung", { number: index }), rung.stop]).filter(([, tier]) => tier).reverse(),
};

/** The prizes of a game; rows of extra prizes come after. */
export function prizeTable(game) {
  const { presentation, mechanic, tiers } = game.screen;
  const drawn = presentation ?? mechanic;
  const rows = kinds[drawn.kind](game, drawn).map(([how, tier]) => ({ how, tier }));
  const named = new Set(rows.map(({ tier }) => tier));
  const extra = tiers.filter((tier) => tier.extra && !named.has(tier.tier)).map(({ tier }) => ({ how: t("extra_prize"), tier }));
  return h("table", { class: "table prizes" }, h("caption", { class: "heard" }, t("prizes_of", { game: game.name })),
    h("tbody", {}, [...rows, ...extra].map(({ how, tier }) => h("tr", {}, h("th", { scope: "row" }, how), h("td", { class: "n" }, prizeOf(game, tier))))));
}

/** The largest prize. */
export function topPrize(game) {
  const top = game.screen.tiers.reduce((best, tier) => (tier.value_cents > best.value_cents ? tier : best));
  return prizeOf(game, top.tier);
}

export const percent = (part, of) => `${count(Math.round((1000 * part) / of) / 10)} %`;
