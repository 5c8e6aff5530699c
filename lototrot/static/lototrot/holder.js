// Show a ticket to its holder, and name the path of the proof that it was sealed.

import { dayOf, hourOfDay, oneOf } from "../screens/base/format.js";
import { t } from "../screens/base/text.js";

export { details } from "./terminal/details.js";

export const proof = "lototrot/proofs";

/** Return how a ticket stands that is not decided yet, as [large words, words]; null if nothing is
 *  known but that. */
export function standing({ state, details: { closes_at, races } }) {
  if (state !== "sold") return null;
  if (closes_at) {
    const today = dayOf(closes_at) === dayOf(Date.now());
    return [t("holder_valid"), today ? t("holder_closes_today", { time: hourOfDay(closes_at) }) : t("holder_closes_on", { day: dayOf(closes_at), time: hourOfDay(closes_at) })];
  }
  const run = races.filter((race) => race.winners.length);
  const next = races.find((race) => !race.winners.length);
  if (!run.length || !next) return null;
  const numbers = [...new Set(next.marks.map((mark) => mark.trace.at(-1)))].sort((a, b) => a - b);
  const right = run.filter((race) => race.right.length).length;
  return [t("holder_so_far", { right, decided: run.length }), t("holder_needs", { race: next.position, numbers: oneOf(numbers) })];
}
