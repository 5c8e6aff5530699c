// Show the coupons to the player, who confirms them before paying (14.III.1.2). One tap sells.

import { amount, cloth, h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { cents, raceOfTicket } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

const namesOf = (race) => new Map(race.runners.map((runner) => [runner.number, runner.name]));
const sum = (bets) => bets.reduce((total, bet) => total + bet.amountCents, 0);
const priced = (bet) => `${t("bets", { n: bet.bets })} × ${cents(bet.contest.price_cents)}`;

function row(bet, race, index) {
  const names = namesOf(race);
  const horses = bet.numbers(index).map((number) => h("span", { class: "mark" }, cloth(number), ` ${names.get(number)}`));
  const drawn = bet.drawn.has(index) && h("span", { class: "mark drawn" }, h("span", { "aria-hidden": "true" }, "✶"), h("span", { class: "heard" }, t("at_random", { n: bet.chosen(index) })));
  const gone = (bet.gone ?? []).filter(([leg]) => leg === index).map(([, number]) => h("s", { class: "mark withdrawn" }, `${number} ${names.get(number)}`));
  return h("tr", {}, h("th", { scope: "row" }, raceOfTicket(race)), h("td", { class: "marks" }, h("div", {}, drawn, horses, gone)));
}

/** Return the content of the player's screen, which draws it in its own language. */
function forPlayer(bets) {
  const leg = (bet) => ({ position, racecourse, race, runners }, index) => {
    const names = namesOf({ runners });
    return { position, racecourse, race, drawn: bet.drawn.has(index), horses: bet.numbers(index).map((number) => [number, names.get(number)]) };
  };
  return { kind: "bet", game: "lototrot", bets: bets.map((bet) => ({ bets: bet.bets, amount_cents: bet.amountCents, races: bet.contest.races.map(leg(bet)) })) };
}

const NOTES_CENTS = [500, 1000, 2000, 5000];

const MOST_EUROS = 5;   // digits

/** Compute the change to give from the note that the player hands over, or from the euros that are typed. */
class Given {
  #typed = "";
  cents = 0;

  constructor() {
    this.change = h("output", { class: "change amount large", "aria-live": "polite" });
    this.notes = h("div", { class: "row notes" });
    this.element = h("div", { class: "row ends" }, h("div", { class: "row", role: "group", "aria-label": t("given") }, h("span", { class: "soft" }, t("given")), this.notes), this.change);
  }

  /** Start again, for what is due now. */
  begin(due) {
    this.due = due;
    this.notes.replaceChildren(...NOTES_CENTS.filter((note) => note > due).map((note) => h("button", { class: "button", type: "button", "data-cents": note,
      onclick: () => this.#take(note) }, cents(note))), this.other = h("output", { class: "amount other" }));
    this.forget();
  }

  /** Take a digit or Backspace; return whether the key was one. */
  key(key) {
    if (!/^(\d|Backspace)$/.test(key)) return false;
    const typed = key === "Backspace" ? this.#typed.slice(0, -1) : (this.#typed + key).slice(-MOST_EUROS);
    this.#take(100 * Number(typed));
    this.#typed = typed;
    return true;
  }

  /** Drop what was typed: it was a scanner's. */
  forget() { this.#take(0); }

  #take(givenCents) {
    this.#typed = "";
    this.cents = givenCents;
    for (const button of this.notes.querySelectorAll("button")) button.setAttribute("aria-pressed", String(Number(button.dataset.cents) === givenCents));
    this.other.textContent = givenCents && !NOTES_CENTS.includes(givenCents) ? cents(givenCents) : "";
    const change = givenCents > this.due ? t("change_to_give", { amount: cents(givenCents - this.due) }) : "";
    this.change.textContent = this.lacks ? t("too_little", { amount: cents(this.due - givenCents) }) : change;
    this.change.classList.toggle("bad", this.lacks);
  }

  /** Return whether a sum was said that is less than what is due. */
  get lacks() { return this.cents > 0 && this.cents < this.due; }
}

/** Show the bets of one payment. `order.bets()` returns them; `order.sell(givenCents)` sells them, where the player
 *  gives so many cents, or 0 if that was not said;
 *  `order.remove(bet)` leaves one of several out. */
export function confirmation(till, order) {
  const again = () => { for (const bet of order.bets()) if (bet.isDrawn) bet.quickAll(); order.redrawn(); draw(); };
  const part = (bet, index, { length }) => [
    length > 1 ? h("div", { class: "row ends" }, h("h3", {}, t("coupon", { number: index + 1 }), " · ", priced(bet), " = ", amount(cents(bet.amountCents))),
      h("button", { class: "button quiet", type: "button", "aria-label": t("remove_coupon", { number: index + 1 }), onclick: () => { order.remove(bet); draw(); } }, t("remove"))) : null,
    h("table", { class: "table" }, h("caption", { class: "heard" }, length > 1 ? t("coupon", { number: index + 1 }) : t("your_bet")), h("tbody", {}, bet.contest.races.map((race, place) => row(bet, race, place)))),
  ];
  const payment = new Given();
  const form = h("form", { class: "stack", method: "dialog", onsubmit: (event) => { if (payment.lacks) event.preventDefault(); else order.sell(payment.cents); } });

  function draw() {
    const bets = order.bets();
    if (!bets.length) return box.close();
    till.player.show(forPlayer(bets));
    const due = sum(bets);
    const isDrawn = bets.some((bet) => bet.isDrawn);
    payment.begin(due);
    form.replaceChildren(
      h("div", { class: "coupon", tabindex: "0", role: "group", "aria-label": t("your_bet") }, bets.map(part).flat(2).filter(Boolean)),
      h("p", { class: "row ends" }, h("span", {}, bets.length > 1 ? t("coupons", { n: bets.length }) : priced(bets[0])), amount(cents(due), "large due")),
      payment.element, h("p", { class: "notice" }, t("confirm_before_paying")),
      h("div", { class: "row ends" },
        h("div", { class: "row" }, h("button", { class: "button big", type: "button", onclick: () => box.close() }, t("change_bet")),
          isDrawn ? h("button", { class: "button big again", type: "button", "aria-keyshortcuts": "F2", onclick: again }, t("draw_again"), h("kbd", { "aria-hidden": "true" }, "F2")) : null),
        h("button", { class: "button primary big", type: "submit", autofocus: true, disabled: !order.maySell() }, t("sell_for"), " ", amount(cents(due)))));
    form.querySelector(".primary").focus();
  }

  const box = dialog(t("your_bet"), form, { className: "confirmation", onclose: () => till.player.clear() });
  box.addEventListener("keydown", (event) => {
    const button = event.key === "F2" && box.querySelector(".again");
    if (button) { event.preventDefault(); button.click(); } else if (!event.altKey && !event.ctrlKey && payment.key(event.key)) event.preventDefault();
  });
  box.addEventListener("scanned", () => payment.forget());
  draw();
}
