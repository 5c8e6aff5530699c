// Prepare a coupon on a phone: mark, show the symbol, save it here. Nothing is sent.

import { amount, h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { cents, date, left } from "../../screens/base/format.js";
import { symbol } from "../../screens/base/qr.js";
import { t } from "../../screens/base/text.js";
import { Bet } from "../terminal/bet.js";
import { about, Board } from "../terminal/board.js";
import { write } from "./format.js";
import { drop, keepUsual, save, saved, usual } from "./kept.js";

const OPEN = new Set(["open", "stopped"]);

/** Return a contest of the published document as the till's modules take it. */
function contestOf(facts, closes) {
  return {
    id: facts.contest, meeting: facts.meeting, day: facts.day, price_cents: facts.price_cents, max_bets: facts.max_bets,
    allows_multiple: facts.allows_multiple, closes_at: closes,
    races: facts.legs.map((leg) => ({
      position: leg.position, racecourse: leg.racecourse, race: leg.race, scheduled_start_at: leg.start_at, runners: leg.runners,
      offered: leg.runners.filter((runner) => !runner.withdrawn).map((runner) => runner.number),
    })),
  };
}

export function section() {
  const page = new Page();
  return { root: page.root, show: (document, feed) => page.show(document, feed), beat: (feed) => page.beat(feed), tick: (at) => page.tick(at) };
}

class Page {
  #contests = [];
  #bet = null;

  constructor() {
    this.board = new Board({ changed: () => this.#count(), confirm: () => this.#symbol() });
    this.head = h("div", { class: "row ends" });
    this.closing = h("b", { class: "figure" });
    this.sum = h("output", { class: "sum", "aria-live": "polite" });
    const button = (text, act, more = "") => h("button", { class: `button ${more}`, type: "button", onclick: act }, text);
    this.shows = button(t("coupon_show"), () => this.#symbol(), "primary big");
    this.usual = button(t("coupon_usual"), () => this.#take(usual()));
    this.bar = h("footer", { class: "bet-bar" }, this.sum, h("div", { class: "row" },
      button(t("quick_pick_all"), () => { this.#bet.quickAll(); this.#changed(); }), this.usual,
      button(t("clear"), () => { this.#bet.clear(); this.#changed(); }), this.shows));
    this.notice = h("p", { class: "notice good", role: "status", hidden: true });
    this.list = h("section", { class: "card stack", hidden: true });
    this.root = h("div", { class: "stack" });
  }

  show(document, feed) {
    this.#contests = document.contests.filter(({ state }) => OPEN.has(state)).map((facts) => contestOf(facts, feed.contests[facts.contest]?.closes_at))
      .sort((a, b) => (a.closes_at < b.closes_at ? -1 : 1));
    const contest = this.#contests.find(({ id }) => id === this.#bet?.contest.id) ?? this.#contests[0];
    if (!contest) {
      this.#bet = null;
      return this.root.replaceChildren(h("p", { class: "empty" }, t("nothing_on_sale")), this.list);
    }
    let gone = [];
    if (this.#bet?.contest.id === contest.id) [this.#bet, gone] = this.#bet.on(contest);
    else this.#bet = new Bet(contest);
    if (gone.length) this.#say(t("marks_withdrawn", { numbers: gone.map(([race, number]) => `${race + 1}: ${number}`).join(", ") }));
    return this.#draw();
  }

  beat(feed) { this.board.shares(feed.contests[this.#bet?.contest.id]?.shares ?? []); }

  tick(at) {
    if (this.#bet) this.closing.textContent = left(Date.parse(this.#bet.contest.closes_at) - at);
  }

  #draw() {
    const { contest } = this.#bet;
    const options = this.#contests.map((each) => h("option", { value: each.id, selected: each.id === contest.id }, `${each.meeting} · ${date(each.day)}`));
    this.head.replaceChildren(options.length > 1
      ? h("select", { class: "input", "aria-label": t("contest"), onchange: (event) => { this.#bet = new Bet(this.#contests.find(({ id }) => id === Number(event.target.value))); this.#draw(); } }, options)
      : h("h2", {}, `${contest.meeting} · ${date(contest.day)}`), h("p", {}, t("closes_in"), " ", this.closing));
    this.board.draw(this.#bet);
    this.root.replaceChildren(this.head, this.notice, this.board.element, this.bar, this.list);
    this.#saved();
    this.#count();
  }

  #say(text) {
    this.notice.textContent = text;
    this.notice.hidden = !text;
  }

  #changed() { this.board.refresh(); this.#count(); }

  #count() {
    const bet = this.#bet;
    this.sum.replaceChildren(about(bet), amount(cents(bet.amountCents), "large"));
    this.shows.disabled = !bet.isComplete || bet.isTooLarge;
    this.usual.hidden = !usual();
  }

  /** Mark these numbers, as far as they are on sale. */
  #take(races) {
    const { contest } = this.#bet;
    this.#bet = Bet.marked(contest, contest.races.map((_, race) => races[race] ?? []));
    this.#draw();
  }

  #symbol() {
    const bet = this.#bet;
    const text = write(bet.kept);
    const act = (label, done) => h("button", { class: "button", type: "button", onclick: (event) => { done(); event.currentTarget.disabled = true; } }, label);
    dialog(t("coupon_title"), h("div", { class: "stack" }, symbol(text, t("coupon_title")), h("p", { class: "qr-text code small" }, text),
      h("p", { class: "row ends" }, h("span", {}, `${t("bets", { n: bet.bets })} × ${cents(bet.contest.price_cents)}`), amount(cents(bet.amountCents), "large")),
      h("p", { class: "notice" }, t("coupon_why")),
      h("div", { class: "row" }, act(t("coupon_save"), () => { save(bet.kept); this.#saved(); }), act(t("coupon_usual_keep"), () => { keepUsual(bet.races); this.#count(); }))));
  }

  /** List the coupons saved on this phone; withdrawn horses are struck. */
  #saved() {
    const coupons = saved();
    this.list.hidden = !coupons.length;
    this.list.replaceChildren(h("h2", {}, t("coupon_saved")), h("ul", { class: "stack tight" }, coupons.map((coupon, index) => {
      const contest = this.#contests.find(({ id }) => id === coupon.contest);
      const numbers = (leg) => (Array.isArray(leg) ? leg : leg.quick_pick);
      const numbersOf = (leg, race) => numbers(leg).flatMap((number) => [" ", contest && !contest.races[race].offered.includes(number) ? h("s", {}, String(number)) : String(number)]);
      return h("li", { class: "row ends" }, h("ol", { class: "played" }, coupon.races.map((leg, race) => h("li", { class: "figure badge" }, numbersOf(leg, race)))),
        contest ? h("button", { class: "button", type: "button", onclick: () => { this.#bet = Bet.of(contest, coupon); this.#draw(); this.#symbolIfWhole(); } }, t("coupon_show")) : h("span", { class: "soft" }, t("coupon_gone")),
        h("button", { class: "button quiet", type: "button", onclick: () => { drop(index); this.#saved(); } }, t("remove")));
    })));
  }

  #symbolIfWhole() { if (!this.shows.disabled) this.#symbol(); }
}
