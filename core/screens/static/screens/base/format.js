// Amounts, numbers and times as papers write them, in the page's language and the islands' time.

import { language } from "./text.js";

const ZONE = "Europe/Madrid";
const euros = new Intl.NumberFormat(language, {
  style: "currency", currency: "EUR", useGrouping: "always",
});
const whole = new Intl.NumberFormat(language, { useGrouping: "always" });
const exact = new Intl.NumberFormat(language, { maximumFractionDigits: 6 });
const clock = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE, hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hour = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE, hour: "2-digit", minute: "2-digit" });
const day = language === "en"
  ? new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
  : new Intl.DateTimeFormat(language, { day: "2-digit", month: "2-digit", year: "numeric", timeZone: "UTC" });

/** Whole cents as euros; the spaces in it do not break. */
export const cents = (amount) => euros.format(amount / 100);
export const count = (n) => whole.format(n);
/** A decimal of the API's ("73.8") in the page's language. */
export const decimal = (text) => exact.format(Number(text));
/** "18:03:22" and "18:03", from anything that `Date` takes. */
export const timeOfDay = (instant) => clock.format(new Date(instant));
export const hourOfDay = (instant) => hour.format(new Date(instant));
/** A natural day, "2027-04-10". */
export const date = (iso) => day.format(new Date(`${iso}T00:00:00Z`));

/** What is left, in ms: "1:02:03", "02:03", never below zero. */
export function left(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const two = (n) => String(n).padStart(2, "0");
  const minutes = `${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return s >= 3600 ? `${Math.floor(s / 3600)}:${minutes}` : minutes;
}
