// Draw the legs side by side. A tap or a key marks a number; only what changed is drawn again.

import { announce, cloth, h } from "../../screens/base/dom.js";
import { cents, hourOfDay, listed, raceAt, raceOfTicket } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { mostMarked, wholePercent } from "../board/shares.js";

/** Return the words beside the sum of a bet: its bets, what is still missing, whether it is too large. */
export const about = (bet) => h("span", { class: "about" }, h("span", {}, t("bets", { n: bet.bets }), ` × ${cents(bet.contest.price_cents)}`),
  !bet.isEmpty && bet.missing.length ? h("span", { class: "warn missing" }, t("missing_races", { n: bet.missing.length, races: listed(bet.missing.map((race) => race + 1)) })) : null,
  bet.isTooLarge ? h("span", { class: "bad" }, t("too_many_bets", { most: bet.contest.max_bets })) : null);

const IN_ONE_COLUMN = 9;

/** Call `changed()` after every mark, `confirm()` at Ctrl+Enter on a complete bet, `ready()` when Enter leaves
 *  the last race of one, and `refuse(words)` for a number that is not on sale. */
export class Board {
  #races = [];
  #typed = "";
  #at = 0;
  #byNumber = false;   // numbers are typed: the focus is not where the person looks, and Enter marks nothing there
  #shares = [];

  constructor({ changed, confirm, ready = () => {}, refuse = announce }) {
    Object.assign(this, { changed, confirm, ready, refuse });
    this.element = h("div", { class: "races", role: "group", "aria-label": t("races") });
    this.element.addEventListener("keydown", (event) => this.#arrows(event));
    this.element.addEventListener("pointerdown", () => { this.#byNumber = false; });
    this.element.addEventListener("focusin", (event) => {
      const race = event.target.closest("[data-race]");
      if (race) this.#enter(Number(race.dataset.race), event.target);
    });
  }

  draw(bet) {
    this.bet = bet;
    this.#races = bet.contest.races.map((race, index) => this.#race(race, index));
    this.element.style.setProperty("--races", this.#races.length);
    this.element.replaceChildren(...this.#races.map((race) => race.element));
    this.#at = Math.min(this.#at, this.#races.length - 1);
    this.#showShares();
    this.refresh();
    this.#enter(this.#at);
  }

  /** Show the share of the bets on each runner: by race, by number, in tenths of 1 %. Without any, their
   *  places stay empty. */
  shares(shares) {
    if (JSON.stringify(shares) === JSON.stringify(this.#shares)) return;
    this.#shares = shares;
    this.#showShares();
  }

  #showShares() {
    this.#races.forEach(({ race, places }) => {
      const shares = this.#shares[race.position - 1] ?? {};
      const most = mostMarked(race, shares);
      race.runners.forEach((runner, index) => {
        const perMille = runner.withdrawn ? 0 : shares[runner.number];
        places[index].classList.toggle("most", runner === most);
        places[index].replaceChildren(...(perMille ? [h("span", { class: "heard" }, `${t("share_of_bets")} `), wholePercent(perMille)] : []));
      });
    });
  }

  refresh() { this.#races.forEach((_, index) => this.#refreshRace(index)); }
  focus(race = 0) { this.#races[race]?.runners.find((button) => !button.disabled)?.focus(); this.#enter(race); }

  /** Handle a key pressed anywhere on the screen. Return whether the board used it. */
  key(event) {
    if (/^\d$/.test(event.key)) return this.#type(event.key);
    if (event.key === "Backspace" && this.#typed) return this.#show(this.#typed.slice(0, -1));
    if (event.key === "/" && this.#typed) return this.#take(true, true);
    if ((event.key === " " || event.key === "+") && this.#typed) return this.#take(false);
    if (event.key === "*") return this.#quick(this.#at);
    if (event.key === "Enter" && this.#typed) return this.#take(true);
    const idle = document.activeElement === document.body || this.element.contains(document.activeElement);
    if (event.key !== "Enter" || !idle) return false;
    if (event.ctrlKey) { if (this.bet?.isComplete) this.confirm(); return Boolean(this.bet?.isComplete); }
    return this.#byNumber && this.#onward();
  }

  /** Drop the typed digits: they were a scanner's. */
  forget() { this.#show(""); }

  #race(race, index) {
    const places = race.runners.map(() => h("span", { class: "of-bets figure" }));
    const runners = race.runners.map((runner, at) => {
      const offered = race.offered.includes(runner.number);
      return h("button", { type: "button", class: ["runner", runner.withdrawn && "withdrawn"], "data-number": runner.number,
        "aria-pressed": "false", disabled: !offered, tabindex: "-1", onclick: () => this.#toggle(index, runner.number) },
      cloth(runner.number), h("span", { class: "horse" }, h("span", { class: "name" }, runner.name), runner.driver ? h("span", { class: "driver" }, runner.driver) : null),
      places[at], offered ? null : h("span", { class: "heard" }, t("withdrawn")));
    });
    const marked = h("output", { class: "figure marked" });
    const more = h("span", { class: "amount more" });
    const quick = h("button", { type: "button", class: "button quiet quick", tabindex: "-1",
      "aria-label": t("quick_pick_race", { race: race.position }), onclick: () => this.#quick(index) },
    h("span", { "aria-hidden": "true" }, "✶"));
    const element = h("section", { class: "race", "data-race": index, role: "group", "aria-label": raceOfTicket(race) },
      h("header", {}, h("b", { class: "figure" }, String(race.position)),
        h("time", {}, hourOfDay(race.scheduled_start_at)), h("span", { class: "tally" }, marked, more), quick,
        h("span", { class: "soft course" }, raceAt(race))),
      h("div", { class: ["runners", runners.length > IN_ONE_COLUMN && "two"] }, runners.map((runner) => this.#slot(index, runner))));
    element.style.setProperty("--rows", runners.length > IN_ONE_COLUMN ? Math.ceil(runners.length / 2) : runners.length);
    return { race, element, runners, places, marked, quick, more };
  }

  /** Return a runner's place with the button that leaves it alone of several: a banker in one tap. */
  #slot(race, runner) {
    const number = Number(runner.dataset.number);
    return h("div", { class: "slot" }, runner, h("button", { type: "button", class: "only", tabindex: "-1", title: t("only_this", { number }), "aria-label": t("only_this", { number }), onclick: () => this.#only(race, number) },
      h("span", {})));
  }

  #toggle(race, number) {
    this.bet.toggle(race, number);
    this.refresh();
    this.changed();
  }

  #only(race, number) {
    this.bet.only(race, number);
    this.refresh();
    this.changed();
  }

  #quick(race) {
    this.bet.quick(race);
    this.refresh();
    this.changed();
    announce(t("quick_picked", { n: this.bet.chosen(race) }));
    return true;
  }

  #refreshRace(index) {
    const { element, runners, marked, quick, more } = this.#races[index];
    const marks = this.bet.marks[index];
    const isDrawn = this.bet.drawn.has(index);
    for (const button of runners) {
      const pressed = String(marks.has(Number(button.dataset.number)));
      if (button.getAttribute("aria-pressed") !== pressed) button.setAttribute("aria-pressed", pressed);
    }
    quick.setAttribute("aria-pressed", String(isDrawn));
    const typed = index === this.#at ? this.#typed : "";
    const chosen = this.bet.chosen(index);
    marked.textContent = typed ? `${typed}_` : `${isDrawn ? "✶" : ""}${chosen || "–"}`;
    const oneMore = this.bet.oneMoreCents(index);
    more.textContent = oneMore ? `+${cents(oneMore)}` : "";
    more.title = oneMore ? t("one_more_mark", { amount: cents(oneMore) }) : "";
    element.classList.toggle("several", marks.size > 1);
    element.classList.toggle("typing", Boolean(typed));
    element.classList.toggle("done", chosen > 0);
  }

  #enter(race, focused = null) {
    const before = this.#at;
    this.#at = race;
    if (before !== race) this.#typed = "";
    this.#races.forEach(({ element, runners, quick }, index) => {
      element.classList.toggle("current", index === race);
      // The Tab key stops once in each leg; arrows move inside it.
      const stop = index === race && focused ? focused : runners.find((button) => !button.disabled) ?? quick;
      for (const button of [...runners, quick]) button.tabIndex = button === stop ? 0 : -1;
    });
    if (before !== race && this.#races[before]) this.#refreshRace(before);
  }

  #type(digit) { return this.#show((this.#typed + digit).slice(-2)); }

  #show(typed) {
    this.#typed = typed;
    if (this.#races[this.#at]) this.#refreshRace(this.#at);
    return true;
  }

  /** Mark the typed number, alone if `only`; with `next`, continue with the next leg, as for a single
   *  bet. */
  #take(next, only = false) {
    const number = Number(this.#typed);
    this.#typed = "";
    this.#byNumber = true;
    if (!this.bet.contest.races[this.#at].offered.includes(number)) {
      this.refuse(t("no_such_number", { number }));
      this.element.children[this.#at].animate?.([{ translate: "-4px" }, { translate: "4px" }, { translate: "0" }], 120);
      return this.#show("");
    }
    if (only) this.#only(this.#at, number);
    else this.#toggle(this.#at, number);
    return next ? this.#onward() : true;
  }

  /** Go to the next race, from the last one to the first without a mark, or leave a complete bet. */
  #onward() {
    const next = this.#at < this.#races.length - 1 ? this.#at + 1 : this.bet.firstOpen;
    if (next >= 0) this.focus(next);
    else this.ready();
    return true;
  }

  #arrows(event) {
    if (/^(Arrow|Tab|Home|End)/.test(event.key)) this.#byNumber = false;
    const race = this.#races[this.#at];
    const stops = [race.quick, ...race.runners.filter((button) => !button.disabled)];
    const place = stops.indexOf(document.activeElement);
    const moves = {
      ArrowDown: () => stops[Math.min(place + 1, stops.length - 1)].focus(),
      ArrowUp: () => stops[Math.max(place - 1, 0)].focus(),
      ArrowLeft: () => this.#sideways(-1, place), ArrowRight: () => this.#sideways(1, place),
      Home: () => this.focus(0), End: () => this.focus(this.#races.length - 1),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  #sideways(step, place) {
    const index = Math.max(0, Math.min(this.#at + step, this.#races.length - 1));
    const race = this.#races[index];
    const stops = [race.quick, ...race.runners.filter((button) => !button.disabled)];
    stops[Math.min(Math.max(place, 0), stops.length - 1)].focus();
  }
}
