// Draw the prize table of a game, which stands beside every ticket, and name the game's picture.

import { h } from "../../screens/base/dom.js";
import { t } from "../../screens/base/text.js";
import { mechanics } from "./mechanics.js";
import { labelOf, largestOf, nameOf, prizeOf, sign } from "./values.js";

const presentations = {
  symbols: (game, { winning, match }) => winning.map((name, index) =>
    [[h("span", { class: "signs" }, Array.from({ length: match }, () => sign(name))), " ", labelOf(game, name)], index + 1]),
  letters: (game, { words }) => words.map((word, index) => [h("b", { class: "word" }, word), index + 1]),
  numbers: (game, { matches }) => matches.map((many, index) => [t("in_common", { n: many }), index + 1]),
};

const FACES = { letters: "flag", numbers: "stopwatch" };

/** Return the name of a game's picture: of symbols the one that wins most. */
export function pictureOf({ screen: { presentation, mechanic } }) {
  if (!presentation) return mechanics[mechanic.kind].picture;
  return presentation.kind === "symbols" ? presentation.winning[0] : FACES[presentation.kind];
}

/** Return the prize table of a game; rows of extra prizes come last. */
export function prizeTable(game) {
  const { presentation, mechanic, tiers } = game.screen;
  const list = presentation
    ? presentations[presentation.kind](game, presentation) : mechanics[mechanic.kind].prizes(game, mechanic);
  const rows = list.map(([how, tier]) => ({ how, tier }));
  const named = new Set(rows.map(({ tier }) => tier));
  const extra = tiers.filter((tier) => tier.extra && !named.has(tier.tier)).map(({ tier }) => ({ how: t("extra_prize"), tier }));
  return h("table", { class: "table prizes" }, h("caption", { class: "heard" }, t("prizes_of", { game: nameOf(game) })),
    h("tbody", {}, [...rows, ...extra].map(({ how, tier }) => h("tr", {}, h("th", { scope: "row" }, how), h("td", { class: "n" }, prizeOf(game, tier))))));
}

/** Return the largest prize. */
export const topPrize = (game) => prizeOf(game, largestOf(game.screen.tiers));
