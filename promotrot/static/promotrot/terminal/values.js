// Format signs, prizes and percentages for all screens of a game.

import { amount, drawing } from "../../screens/base/dom.js";
import { cents, count } from "../../screens/base/format.js";
import { remember, t } from "../../screens/base/text.js";

const SHEET = new URL("../signs.svg", import.meta.url).pathname;

/** Return a picture from the game's SVG sheet. */
export const sign = (name, label = "") => drawing(`${SHEET}#${name}`, { label, className: "sign" });

/** Return a text of a game, which the player's screen says in its own language. */
function inEachLanguage(game, text, find) {
  const languages = Object.entries(game.texts ?? {});   // none of a closed emission
  return remember(text, { texts: Object.fromEntries(languages.map(([code, texts]) => [code, find(texts) ?? text])) });
}

export const nameOf = (game) => inEachLanguage(game, game.name, ({ name }) => name);
/** Return the label of a sign or of an act. */
export const labelOf = (game, key) => inEachLanguage(game, game.labels[key], ({ labels }) => labels[key]);
/** Return the name of a prize in kind. */
export const thingOf = (game, key) => inEachLanguage(game, game.prizes[key], ({ prizes }) => prizes[key]);

/** Return the content that shows a prize: an amount, or a prize in kind with its value. */
export function prizeOf(game, number) {
  const tier = game.screen.tiers.find((row) => row.tier === number);
  if (!tier) return t("no_prize");
  const value = amount(cents(tier.value_cents));
  return tier.thing ? [thingOf(game, tier.thing), " (", value, ")"] : value;
}

/** Return the number of the largest prize among some tiers; 0 where there is none. */
export const largestOf = (tiers) => tiers.reduce((best, row) => (row.value_cents > (best?.value_cents ?? 0) ? row : best), null)?.tier ?? 0;

/** Return a chance as it is: a percentage of one decimal, or else the two numbers. */
export const chanceOf = (part, of) => ((1000 * part) % of ? `${count(part)} / ${count(of)}` : `${count((100 * part) / of)} %`);
