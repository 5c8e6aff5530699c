// Run Lototrot's tab of the terminal: contests on sale, the bet, its confirmation, the last ticket.

import { dialog } from "../../screens/base/dialog.js";
import { amount, drawer, h } from "../../screens/base/dom.js";
import { cents, count, date, decimal, hourOfDay, left } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { Basket } from "./basket.js";
import { Bet } from "./bet.js";
import { about, Board } from "./board.js";
import { confirmation } from "./confirmation.js";
import { totals } from "./day.js";
import { details } from "./details.js";
import { display, rules } from "./display.js";
import { lastTicket } from "./last.js";
import { KIND, sales } from "./sale.js";

const ASK_AGAIN_MS = 15_000;          // while no pulse arrives
const ASK_ANYWAY_MS = 5 * 60_000;
const SPREAD_MS = 10_000;              // so that terminals do not all ask at once
const SOON_MS = 5 * 60_000;
const NOW_MS = 60_000;
const DRAFT = "lototrot.draft";
const MOST_COUPONS = 20;

export function panel(till) {
  const p = new Panel(till);
  return { element: p.element, help: () => p.help, scanned: (code) => p.scanned(code), show: () => p.show(), hide: () => p.hide(), signedOn: () => p.signedOn(),
    signedOff: () => p.signedOff(), day: (changed) => totals(till, { changed, opensMs: (contest) => p.opensMs(contest), cameOut: p.sales.cameOut }), details };
}

/** Return the notice of a public draw: its place and time, and later its result. */
function drawn(draw) {
  const text = draw.order.length
    ? t("draw_result", { title: draw.title, number: draw.order[0] })
    : t("draw_to_come", { title: draw.title, place: draw.place, time: hourOfDay(draw.planned_at) });
  return h("p", { class: "notice" }, text);
}

/** Return what the operator is told of a sale, with the change to give, if any. */
const withChange = (words, changeCents) => (changeCents ? `${words} · ${t("change_to_give", { amount: cents(changeCents) })}` : words);

class Panel {
  #contests = [];
  #refusal = null;
  #chosen = null;   // id of the contest
  #bet = null;
  #timer = 0;
  #isShown = false;
  #asking = 0;
  #pulse = {};      // of the contests: what the newest pulse says
  #operator = null; // whose marks these are
  #givenCents = 0;       // of the player's money for what is being sold, in cents; 0 if not said
  #heard = null;    // Lototrot's part of the last pulse, as text

  constructor(till) {
    this.till = till;
    this.board = new Board({ changed: () => this.#count(), confirm: () => this.#confirm(),
      ready: () => this.actions.F8.focus(), refuse: (words) => till.toast(words, "warn") });
    this.closing = h("p", { class: "closing", role: "timer", "aria-label": t("closing") });
    till.headline(this.closing);
    this.sales = sales(till, { sold: (ticket, coupon) => this.#sold(ticket, coupon), failed: (problem, entry) => this.#failed(problem, entry) });
    this.basket = new Basket(till.outbox, {
      sell: (coupon) => this.sales.sell({ ...coupon, price_cents: this.#contestOf(coupon)?.price_cents ?? 0 }, { coupon: true }).catch(till.tell),
      changed: () => this.#count(), ended: (run) => this.#paid(run),
    });
    this.last = lastTicket(till, { opensMs: (contest) => this.opensMs(contest), mayCopy: this.sales.mayCopy, cameOut: this.sales.cameOut });
    till.outbox.handle(KIND, this.sales);
    this.head = h("div", { class: "row ends contest" });
    this.body = h("div", { class: "bet-body" });
    this.draws = h("div", { "aria-live": "polite" });
    this.drawDraws = drawer(this.draws);
    this.#buttons();
    this.element = h("section", { class: "bet", "aria-label": t("lototrot") }, this.head, h("div", {}, this.draws, this.sales.asked), this.body);
    till.clock.everySecond((ms) => this.#second(ms));
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("pagehide", () => this.#keepDraft());
    till.line.addEventListener("change", () => { this.#count(); if (till.line.up) this.ask(); });
    till.line.addEventListener("pulse", ({ detail }) => this.#news(detail));
    till.outbox.addEventListener("change", () => this.#count());
    till.client.addEventListener("shift-ended", () => this.#endShift());
  }

  show() { this.#isShown = true; this.board.focus(0); }
  hide() { this.#isShown = false; this.board.forget(); }
  signedOn() {
    this.#operator = this.till.me.session.operator;
    this.last.restore();
    this.basket.restore(this.#operator);
    this.sales.ask();
    import("../coupon/scanned.js").catch(() => {});   // while there is a line, for the first scan
    this.ask();
  }

  /** Leave nothing of a shift to the next operator. */
  #endShift() {
    this.#bet = null;
    sessionStorage.removeItem(DRAFT);
    this.basket.clear();
    this.last.forget();
  }

  /** Keep the marks of a session that ended by itself, for the same operator. */
  signedOff() {
    clearTimeout(this.#timer);
    this.#keepDraft();
    this.#contests = [];
    this.#bet = null;
    this.#operator = null;
    this.body.replaceChildren();
    this.closing.textContent = "";
  }

  /** Ask for the contests on sale, and plan the next time. */
  async ask() {
    clearTimeout(this.#timer);
    if (!this.till.signedOn) return;
    const asking = ++this.#asking;
    // In the place of the head: what follows it is not drawn yet, and nothing moves when they come.
    if (!this.#contests.length && !this.body.children.length) this.head.replaceChildren(h("p", { class: "loading" }, t("loading")));
    try {
      const answer = await this.till.client.get("lototrot/terminal/contests");
      if (asking === this.#asking) this.#take(answer);
    } catch (error) {
      this.till.tell(error);
    }
    if (asking === this.#asking) this.#timer = setTimeout(() => this.ask(), this.till.line.hasPulse ? ASK_ANYWAY_MS : ASK_AGAIN_MS);
  }

  /** Ask again if the pulse says that contests, horses or draws have changed. */
  #news({ lototrot }) {
    if (!lototrot) return;
    const states = Object.entries(lototrot.contests).map(([id, { state, closes_at: at }]) => [id, state, at]);
    this.#pulse = lototrot.contests;
    this.#count();
    this.#showShares();
    const news = JSON.stringify([lototrot.document, states]);
    const isNew = this.#heard !== null && news !== this.#heard;
    this.#heard = news;
    if (isNew && this.till.signedOn) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.ask(), Math.random() * SPREAD_MS);
    }
  }

  /** Show the shares of the bets as boards do; none if they are of long ago. */
  #showShares() { this.board.shares((this.till.line.hasPulse && this.#pulse[this.#bet?.contest.id]?.shares) || []); }

  #take({ items, refusal, draws }) {
    this.drawDraws(draws.map((draw) => [draw, () => drawn(draw)]));
    const before = JSON.stringify([this.#contests, this.#refusal]);
    this.#contests = items;
    this.#refusal = refusal;
    if (this.basket.refresh((item) => this.#betOf(item))) this.till.toast(t("coupons_changed"), "warn");
    const contest = this.#contest ?? items[0];
    this.#chosen = contest?.id ?? null;
    if (JSON.stringify([items, refusal]) === before && this.#bet) return;
    if (!contest) { this.#bet = null; return this.#drawNothing(); }
    const gone = this.#carry(contest);
    this.#draw(contest);
    if (gone.length) this.till.toast(t("marks_withdrawn", { numbers: gone.map(([race, number]) => `${race + 1}: ${number}`).join(", ") }), "warn");
  }

  get #contest() { return this.#contestOf({ contest: this.#chosen }); }
  #contestOf({ contest }) { return this.#contests.find((each) => each.id === contest); }

  #betOf(item) {
    const contest = this.#contestOf(item);
    return contest && Bet.of(contest, item);
  }

  /** Return the bets of the payment: those of the basket, and the one on the screen. */
  get #order() {
    const coupons = this.basket.items.map((item) => Object.assign(this.#betOf(item), { coupon: item.uuid }));
    return this.#bet?.isComplete ? [...coupons, this.#bet] : coupons;
  }

  #carry(contest) {
    if (this.#bet?.contest.id === contest.id) {
      const [bet, gone] = this.#bet.on(contest);
      this.#bet = bet;
      return gone;
    }
    const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
    this.#bet = Bet.of(contest, draft?.operator === this.#operator ? draft : null);
    return [];
  }

  #keepDraft() { if (this.#bet) sessionStorage.setItem(DRAFT, JSON.stringify({ ...this.#bet.kept, operator: this.#operator })); }

  #drawNothing() {
    this.head.replaceChildren();
    this.closing.textContent = "";
    this.body.replaceChildren(h("h1", { class: "empty large" }, t("nothing_on_sale")), this.last.element);
  }

  #draw(contest) {
    const focus = this.element.contains(document.activeElement);
    const jackpot = contest.jackpot_cents + contest.lapsed_cents;
    this.head.replaceChildren(...[
      this.#contests.length > 1 ? this.#choice() : h("h1", {}, contest.meeting),
      jackpot ? h("p", { class: "row" }, h("span", { class: "soft" }, t("jackpot")), amount(cents(jackpot), "pot")) : null,
      h("p", { class: "row small" },
        h("span", {}, date(contest.day)),
        h("span", {}, t("price_of_bet"), " ", amount(cents(contest.price_cents))),
        h("span", {}, t("to_prizes", { percent: decimal(contest.prize_percent) })),
        h("button", { class: "button quiet", type: "button", onclick: () => rules(this.till, contest) }, t("rules"))),
    ].filter(Boolean));
    if (!contest.acknowledged) {
      this.body.replaceChildren(display(this.till, contest, () => this.ask()));
      return;
    }
    this.board.draw(this.#bet);
    this.#showShares();
    this.body.replaceChildren(
      // t("sales_suspended") t("premises_not_authorised") t("clock_unsound") t("credit_exhausted")
      ...(this.#refusal ? [h("p", { class: "notice bad", role: "alert" }, t(this.#refusal))] : []),
      this.board.element, this.bar, this.last.element);
    this.#count();
    if (focus || this.#isShown) this.board.focus(Math.max(0, this.#bet.firstOpen));
    const now = this.till.clock.now();
    if (now !== null) this.#second(now);
  }

  /** Take a scanned coupon that was prepared on a phone. Return whether the code is one. */
  scanned(code) {
    if (!code.startsWith("COUPON")) return false;
    this.board.forget();
    this.till.open("lototrot");
    import("../coupon/scanned.js").then(({ betOf }) => {
      const bet = betOf(code, this.#contests);
      this.#chosen = bet.contest.id;
      this.#bet = bet;
      this.#draw(bet.contest);
      if (bet.gone.length) this.till.toast(t("marks_withdrawn", { numbers: bet.gone.map(([race, number]) => `${race + 1}: ${number}`).join(", ") }), "warn");
      if (bet.contest.acknowledged) this.#confirm();
    }).catch((error) => {
      if (!error.code) throw error;
      this.till.toast(`${t(error.code)} (${error.code})`, "bad");
    });
    return true;
  }

  #choice() {
    const options = this.#contests.map((each) => h("option", { value: each.id, selected: each.id === this.#chosen }, `${each.meeting} · ${date(each.day)}`));
    return h("select", { class: "input contest-choice", "aria-label": t("contest"), onchange: (event) => {
      this.#chosen = Number(event.target.value);
      this.#bet = null;
      this.#carry(this.#contest);
      this.#draw(this.#contest);
    } }, options);
  }

  #buttons() {
    const button = (text, key, act, more = "") => h("button", { class: `button ${more}`, type: "button", "aria-keyshortcuts": key, onclick: act }, text, h("kbd", { "aria-hidden": "true" }, key));
    this.actions = {
      F2: button(t("quick_pick_all"), "F2", () => { this.#bet.quickAll(); this.#changedAll(); }),
      F6: button(t("repeat"), "F6", () => this.#repeat()),
      F4: button(t("clear"), "F4", () => { this.#bet.clear(); this.#changedAll(); this.board.focus(0); }),
      F9: button(t("add_coupon"), "F9", () => { this.basket.add(this.#bet); this.#bet.clear(); this.#changedAll(); this.board.focus(0); }),
      F8: button(t("confirm_bet"), "F8", () => this.#confirm(), "primary big"),
    };
    this.sum = h("output", { class: "sum", "aria-live": "polite" });
    this.drawSum = drawer(this.sum);
    this.bar = h("footer", { class: "bet-bar" }, this.sum,
      h("div", { class: "row" }, this.actions.F2, this.actions.F6, this.actions.F4, this.actions.F9, this.actions.F8));
  }

  #key(event) {
    if (!this.#isShown || !this.#bet || !this.bar.isConnected || event.altKey || event.metaKey) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.("input, select, textarea")) return;
    const action = this.actions[event.key];
    if (action) { event.preventDefault(); if (!action.disabled) action.click(); }
    else if (this.board.key(event)) event.preventDefault();
  }

  get help() {
    const keys = [["7 Enter", t("help_mark")], ["7 Space", t("help_mark_stay")], ["7 /", t("help_banker")], ["*", t("help_quick")]];
    return [...keys, ["F2", t("quick_pick_all")], ["F4", t("clear")], ["F6", t("repeat")], ["F9", t("add_coupon")], ["F8, Enter", t("confirm_bet")], ["20", t("help_given")]];
  }

  #changedAll() { this.board.refresh(); this.#count(); }

  #count() {
    const bet = this.#bet;
    if (!bet) return;
    const open = this.#opensMs > 0 && !this.#stopped && this.till.line.up && !this.#refusal && !this.till.outbox.entry && !this.basket.isPaying;
    const { items } = this.basket;
    const due = items.reduce((total, item) => total + item.amount_cents, bet.amountCents);
    this.drawSum([
      ...(items.length ? [[["coupons", items.length], () => h("button", { class: "button coupons", type: "button", onclick: () => this.#show() }, t("coupons", { n: items.length }), " +")]] : []),
      [["about", bet.bets, bet.contest.price_cents, bet.isEmpty, bet.missing, bet.isTooLarge], () => about(bet)],
      [["due", due], () => amount(cents(due), "large")],
    ]);
    const fits = bet.isComplete && !bet.isTooLarge;
    this.actions.F8.disabled = !((fits || (bet.isEmpty && items.length)) && open);
    this.actions.F9.disabled = !fits || items.length >= MOST_COUPONS;
    this.actions.F4.disabled = bet.isEmpty;
    this.actions.F6.disabled = !this.last.races(bet.contest.id);
  }

  /** Return the ms until a contest closes, by the server's clock; 0 if it is not on sale. */
  opensMs(id) {
    const now = this.till.clock.now();
    const contest = this.#contests.find((each) => each.id === id);
    return contest && now !== null ? Math.max(0, Date.parse(contest.closes_at) - now) : 0;
  }

  get #opensMs() { return this.#bet ? this.opensMs(this.#bet.contest.id) : 0; }

  get #stopped() {
    const contest = this.#bet?.contest;
    return Boolean(contest) && (this.#pulse[contest.id]?.state ?? contest.state) === "stopped";
  }

  #second() {
    this.last.second();
    if (!this.#bet) return;
    this.#showShares();
    const ms = this.#opensMs;
    if (this.#stopped && ms > 0) {
      this.closing.className = "closing bad";
      this.closing.replaceChildren(h("b", {}, t("stopped")), h("span", { class: "small" }, t("stopped_why")));
      return;
    }
    const tone = ms <= NOW_MS ? "bad" : ms <= SOON_MS ? "warn" : "good";
    this.closing.className = `closing ${tone}`;
    this.closing.replaceChildren(h("span", { class: "small" }, ms > 0 ? t("closes_in") : t("closed")), ms > 0 ? h("b", { class: "figure" }, left(ms)) : "");
    if (ms <= 0 && !this.actions.F8.disabled) { this.#count(); this.ask(); }
  }

  #repeat() {
    const races = this.last.races(this.#bet?.contest.id);
    if (!races) return;
    this.#bet = Bet.marked(this.#bet.contest, races);
    this.board.draw(this.#bet);
    this.#count();
    this.actions.F8.focus();
  }

  #confirm() {
    if (!this.actions.F8.disabled) this.#show();
  }

  #show() {
    confirmation(this.till, { bets: () => this.#order, maySell: () => !this.actions.F8.disabled, sell: (givenCents) => this.#sell(givenCents),
      redrawn: () => this.#changedAll(),
      remove: (bet) => {
        if (bet.coupon) this.basket.remove(bet.coupon);
        else { bet.clear(); this.#changedAll(); }
      } });
  }

  /** Sell the bet on the screen, or, with others in the basket, all of them one after the other. */
  #sell(givenCents) {
    const bet = this.#bet;
    this.#givenCents = givenCents;
    if (!this.basket.items.length) {
      return this.sales.sell({ ...bet.kept, price_cents: bet.contest.price_cents, amount_cents: bet.amountCents }).catch((error) => this.till.tell(error));
    }
    if (bet.isComplete) {
      this.basket.add(bet);
      bet.clear();
      this.#changedAll();
    }
    return this.basket.pay();
  }

  #sold(ticket, coupon) {
    const change = coupon ? 0 : this.#change(ticket.amount_cents);
    this.last.keep(ticket, change);
    if (!coupon && this.#bet) { this.#bet.clear(); this.#changedAll(); }
    if (!coupon) sessionStorage.removeItem(DRAFT);
    this.till.toast(withChange(t("ticket_sold", { n: ticket.bets, amount: cents(ticket.amount_cents) }), change), "good");
    if (this.#isShown) this.board.focus(0);
  }

  /** Return what is given back of the player's money for what was sold, in cents; 0 if that was not said. */
  #change(charged) {
    const change = Math.max(0, this.#givenCents - charged);
    this.#givenCents = 0;
    return change;
  }

  /** Say at the end of a payment what was sold, and what is charged if some of it was refused. */
  #paid({ sold, sold_cents, refused }) {
    this.#count();
    const words = sold ? t("coupons_sold", { n: sold, amount: cents(sold_cents) }) : t("not_sold");
    const change = this.#change(sold_cents);
    if (sold) this.last.keepChange(change);
    if (!refused.length) return this.till.toast(withChange(words, change), "good");
    dialog(t("payment"), h("div", { class: "stack" }, h("p", { class: "notice warn" }, t("coupons_refused", { n: refused.length })),
      h("ul", { class: "stack tight" }, [...new Set(refused)].map((title) => h("li", {}, title))),
      h("p", { class: "row ends" }, h("b", {}, t("charge")), amount(cents(sold_cents), "large due")),
      change ? h("p", { class: "change amount" }, t("change_to_give", { amount: cents(change) })) : null));
    return this.ask();
  }

  #failed(problem, entry) {
    if (this.basket.refused(entry, problem.title)) return;
    if (problem.code === "burnt") return this.till.toast(problem.title, "warn");
    const more = problem.code === "withdrawn_number" || problem.code === "unknown_number" ? ` ${t("marks_not_offered", { race: count(problem.data.race ?? 0) })}` : "";
    this.till.toast(`${t("not_sold")} ${problem.title}${more}`, "bad");
    this.ask();
  }
}
