// Show the bet to the player, who confirms it before paying (14.III.1.2). One tap sells.

import { amount, cloth, h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { cents, raceOfTicket } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

const byNumber = (marks) => [...marks].sort((a, b) => a - b);
const namesOf = (race) => new Map(race.runners.map((runner) => [runner.number, runner.name]));

function row(race, marks) {
  const names = namesOf(race);
  const horses = marks instanceof Set
    ? byNumber(marks).map((number) => h("span", { class: "mark" }, cloth(number), ` ${names.get(number)}`))
    : h("span", { class: "mark" }, h("b", { class: "number" }, "✶"), ` ${t("at_random", { n: marks })}`);
  return h("tr", {}, h("th", { scope: "row" }, raceOfTicket(race)), h("td", { class: "marks" }, h("div", {}, horses)));
}

/** Return the horses of a leg in words, for the player's screen. */
function horses(race, marks) {
  if (!(marks instanceof Set)) return t("at_random", { n: marks });
  const names = namesOf(race);
  return byNumber(marks).map((number) => `${number} ${names.get(number)}`).join(" · ");
}

/** Return the content of the player's screen. */
function forPlayer(bet) {
  return {
    kind: "bet", tone: "info", title: t("your_bet"), large: cents(bet.amountCents),
    rows: bet.marks.map((marks, index) => [raceOfTicket(bet.contest.races[index]), horses(bet.contest.races[index], marks)]),
    note: `${t("bets", { n: bet.bets })} × ${cents(bet.contest.price_cents)}. ${t("confirm_before_paying")}`,
  };
}

const NOTES_CENTS = [500, 1000, 2000, 5000];

/** Return a line that computes the change to give from the note that the player hands over. */
function change(amountCents) {
  const told = h("output", { class: "change amount large", "aria-live": "polite" });
  const choose = (note, button) => {
    for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button));
    told.textContent = t("change_to_give", { amount: cents(note - amountCents) });
  };
  const buttons = NOTES_CENTS.filter((note) => note > amountCents).map((note) => h("button", { class: "button", type: "button", "aria-pressed": "false",
    onclick: (event) => choose(note, event.currentTarget) }, cents(note)));
  return buttons.length ? h("div", { class: "row ends" }, h("div", { class: "row", role: "group", "aria-label": t("given") }, h("span", { class: "soft" }, t("given")), h("div", { class: "row notes" }, buttons)), told) : null;
}

export function confirmation(till, bet, sell) {
  till.player.show(forPlayer(bet));
  const yes = h("button", { class: "button primary big", type: "submit", autofocus: true }, t("sell_for"), " ", amount(cents(bet.amountCents)));
  const shown = dialog(t("your_bet"), h("form", { class: "stack", method: "dialog", onsubmit: sell },
    h("div", { class: "coupon", tabindex: "0", role: "group", "aria-label": t("your_bet") }, h("table", { class: "table" }, h("caption", { class: "heard" }, t("your_bet")), h("tbody", {}, bet.contest.races.map((race, index) => row(race, bet.marks[index]))))),
    h("p", { class: "row ends" }, h("span", {}, `${t("bets", { n: bet.bets })} × ${cents(bet.contest.price_cents)}`), amount(cents(bet.amountCents), "large")),
    change(bet.amountCents),
    h("p", { class: "notice" }, t("confirm_before_paying")),
    h("div", { class: "row ends" }, h("button", { class: "button big", type: "button", onclick: () => shown.close() }, t("change_bet")), yes)),
  { className: "confirmation", onclose: () => till.player.clear() });
}
