// Format amounts, numbers and times as papers do, in the page's language and Balearic time.

import { language, remember, t } from "./text.js";

const ZONE = "Europe/Madrid";
const euros = new Intl.NumberFormat(language, {
  style: "currency", currency: "EUR", useGrouping: "always",
});
const whole = new Intl.NumberFormat(language, { useGrouping: "always" });
const exact = new Intl.NumberFormat(language, { maximumFractionDigits: 6 });
const clock = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE, hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hour = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE, hour: "2-digit", minute: "2-digit" });
const local = new Intl.DateTimeFormat("sv-SE", { timeZone: ZONE });   // "2027-04-10"
const day = language === "en"
  ? new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
  : new Intl.DateTimeFormat(language, { day: "2-digit", month: "2-digit", year: "numeric", timeZone: "UTC" });

/** Return cents as euros, with spaces that do not break. */
export const cents = (amount) => remember(euros.format(amount / 100), { cents: amount });
/** Return "4, 6 and 7", in the page's language. */
export const listed = (items) => new Intl.ListFormat(language, { type: "conjunction" }).format(items.map(String));
/** Return "4, 6 or 7". */
export const oneOf = (items) => new Intl.ListFormat(language, { type: "disjunction" }).format(items.map(String));
/** Return the one name of a race: "Son Pardo, race 4", and before it, its place on the ticket. */
export const raceAt = ({ racecourse, race }) => t("race_at", { racecourse: courseOf(racecourse), race: String(race) });
/** Return "Son Pardo" of "Hipòdrom de Son Pardo". */
const courseOf = (name) => name.replace(/^hip[oòó]dromo? (?:de |d['’])?/i, "");
export const raceOfTicket = (race) => `${race.position} · ${raceAt(race)}`;
export const count = (n) => whole.format(n);
/** Return a decimal of the API ("73.8") in the page's language. */
export const decimal = (text) => remember(exact.format(Number(text)), { decimal: text });
/** Return "18:03:22" or "18:03", from any argument of `Date`. */
export const timeOfDay = (instant) => clock.format(new Date(instant));
export const hourOfDay = (instant) => hour.format(new Date(instant));
/** Return a natural day, given as "2027-04-10". */
export const date = (iso) => remember(day.format(new Date(`${iso}T00:00:00Z`)), { date: iso });

/** Return the day in Europe/Madrid of an instant of the API. */
export const dayOf = (instant) => date(local.format(new Date(instant)));

/** Return a time left, given in ms: "1:02:03" or "02:03", never below zero. */
export function left(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const two = (n) => String(n).padStart(2, "0");
  const minutes = `${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return s >= 3600 ? `${Math.floor(s / 3600)}:${minutes}` : minutes;
}
