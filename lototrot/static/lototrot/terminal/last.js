// Show the last ticket of this shift, to copy it, or void it within the correction window.

import { amount, h } from "../../screens/base/dom.js";
import { cents, left, timeOfDay } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { annul } from "./annulment.js";
import { requestUuid } from "../../screens/terminal/request-uuid.js";

const KEPT = "lototrot.last";

/** `opensMs(contest)` returns the time until a contest closes, 0 if it is not on sale. */
export function lastTicket(till, { opensMs, mayCopy, cameOut }) {
  let last = null;
  const clock = h("b", { class: "figure" });
  const correct = h("button", { class: "button correct", type: "button", hidden: true, onclick: () => annul(till, last, annulled) }, t("correct"), " ", clock);
  const copy = h("button", { class: "button", type: "button", onclick: () => reprint(till, last, cameOut) }, t("copy"));
  const words = h("p", { class: "row" });
  const element = h("aside", { class: "last row ends", "aria-label": t("last_ticket"), hidden: true }, words,
    h("div", { class: "row" }, copy, correct));

  function keep(ticket, changeCents = 0) {
    // Not the ticket's code: only the paper has it.
    last = {
      uuid: ticket.uuid, contest: ticket.contest, operator: ticket.operator, sold_at: ticket.sold_at, bets: ticket.bets, amount_cents: ticket.amount_cents,
      change_cents: changeCents, window_s: ticket.correction_window_s, voided: ticket.state === "void",
      races: ticket.races.map((race) => (race.quick_pick ? { quick_pick: race.numbers.length } : race.numbers)),
    };
    save();
  }

  /** Keep what is given back for a payment of several tickets. */
  function keepChange(changeCents) {
    last = { ...last, change_cents: changeCents };
    save();
  }

  function save() {
    sessionStorage.setItem(KEPT, JSON.stringify(last));
    draw();
  }

  function restore() {
    last = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    if (last?.operator !== till.me.session.operator) forget();
    draw();
  }

  function forget() {
    last = null;
    sessionStorage.removeItem(KEPT);
    draw();
  }

  function annulled() {
    last = { ...last, voided: true };
    save();
  }

  function draw() {
    element.hidden = !last;
    if (!last) return;
    words.replaceChildren(
      h("b", {}, t("last_ticket")), h("time", {}, timeOfDay(last.sold_at)), h("span", {}, t("bets", { n: last.bets })), amount(cents(last.amount_cents)),
      last.change_cents && !last.voided ? h("b", { class: "badge good amount" }, t("change_to_give", { amount: cents(last.change_cents) })) : "",
      last.voided ? h("span", { class: "badge warn" }, t("annulled")) : "");
    second();
  }

  /** Offer what the server would still do. */
  function second() {
    if (!last) return;
    const contestLeft = opensMs(last.contest);
    const now = till.clock.now();
    const ms = now === null ? 0 : Math.min(Date.parse(last.sold_at) + last.window_s * 1000 - now, contestLeft);
    const may = ms > 0 && !last.voided;
    correct.hidden = !may;
    if (may) clock.textContent = left(ms);
    copy.hidden = last.voided || contestLeft <= 0 || !mayCopy(last.uuid);
  }

  return { element, keep, keepChange, restore, forget, second, races: (contest) => (last?.contest === contest ? last.races : null) };
}

/** Print a further copy, marked as a duplicate, and tell when it came out. Return the problem if there was one. */
export async function reprint(till, ticket, cameOut) {
  const body = { uuid: requestUuid(), format: "html", lang: language };
  try {
    await till.print(await till.client.insist(() => till.client.text(`lototrot/tickets/${ticket.uuid}/reprints`, { method: "POST", body })));
    cameOut(ticket);
    return null;
  } catch (error) {
    till.tell(error);
    return error;
  }
}
