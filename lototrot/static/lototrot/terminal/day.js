// Draw Lototrot's part of the day: totals, and the tickets by what was played, found, copied, annulled.

import { amount, h } from "../../screens/base/dom.js";
import { cents, count, date, left, timeOfDay } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { annul } from "./annulment.js";
import { reprint } from "./last.js";

const PAGE = 20;

/** Return the query of a search: "6,50" or "6.50" is an amount; other numbers are marks, race by race,
 *  with 0 for any. */
function query(words) {
  const sum = /^(\d{1,6})[.,](\d\d) ?€?$/.exec(words.trim());
  if (sum) return `&amount_cents=${Number(sum[1]) * 100 + Number(sum[2])}`;
  const marks = words.match(/\d{1,2}/g) ?? [];
  return marks.length ? `&marks=${marks.slice(0, 10).map(Number).join(",")}` : "";
}

class List {
  #next = null;
  #asking = 0;
  #rows = [];   // [ticket, its row]

  /** `changed()` follows an annulment, `cameOut(ticket)` a copy. */
  constructor(till, day, acts) {
    Object.assign(this, { till, day }, acts);
    this.words = h("input", { class: "input", id: "find-ticket", type: "search", inputmode: "decimal", autocomplete: "off", oninput: () => this.#later() });
    this.body = h("tbody", {});
    this.none = h("p", { class: "empty", hidden: true });
    this.more = h("button", { class: "button", type: "button", hidden: true, onclick: () => this.#ask(this.#next).catch(till.tell) }, t("more"));
    const head = (text, className = "") => h("th", { scope: "col", class: className }, text);
    this.table = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("tickets_of_day") }, h("table", { class: "table" },
      h("caption", { class: "heard" }, t("tickets_of_day")), h("thead", {}, h("tr", {}, head(t("sold_at")), head(t("bet_of_ticket")), head(t("bets_made"), "n"), head(t("amount"), "n"),
        head(t("operator"), "n"), head(t("paper")), h("td", {}))), this.body));
    this.element = h("section", { class: "card stack" },
      h("div", { class: "row ends" }, h("h2", {}, t("tickets_of_day")), h("div", { class: "field" }, h("label", { for: "find-ticket" }, t("find_ticket")), this.words)),
      this.table, this.none, this.more);
    this.beat = setInterval(() => this.#second(), 1000);
  }

  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask().catch(this.till.tell), 250);
  }

  async #ask(cursor = "") {
    const asking = ++this.#asking;
    const page = await this.till.client.get(`lototrot/terminal/tickets?limit=${PAGE}&day=${this.day}${query(this.words.value)}${cursor ? `&cursor=${cursor}` : ""}`);
    if (asking !== this.#asking) return;
    if (!cursor) { this.#rows = []; this.body.replaceChildren(); }
    this.#next = page.next;
    this.more.hidden = !page.next;
    for (const ticket of page.items) {
      const acts = h("div", { class: "row acts" });
      this.#rows.push([ticket, acts]);
      this.body.append(this.#row(ticket, acts));
    }
    this.none.hidden = this.#rows.length > 0;
    this.none.textContent = this.words.value ? t("no_tickets") : t("none_sold");
    this.table.hidden = this.#rows.length === 0;
    this.#second();
  }

  async load() { await this.#ask(); return this.element; }

  #row(ticket, acts) {
    const state = ticket.voided ? h("span", { class: "badge warn" }, t("annulled"))
      : ticket.printed ? h("span", { class: "badge good" }, t("printed")) : h("span", { class: "badge bad" }, t("not_printed"));
    return h("tr", {},
      h("td", {}, h("time", {}, timeOfDay(ticket.sold_at))),
      h("td", {}, h("ol", { class: "played" }, ticket.races.map((numbers) => h("li", { class: "figure" }, numbers.join(" "))))),
      h("td", { class: "n" }, count(ticket.bets)), h("td", { class: "n" }, amount(cents(ticket.amount_cents))),
      h("td", { class: "n" }, String(ticket.operator)), h("td", {}, state), h("td", {}, acts));
  }

  /** Offer for each ticket what the server would still do. */
  #second() {
    if (this.shown && !this.element.isConnected) return clearInterval(this.beat);
    this.shown ||= this.element.isConnected;
    const { till } = this;
    const now = till.clock.now();
    for (const [ticket, acts] of this.#rows) {
      const opens = ticket.voided || now === null ? 0 : this.opensMs(ticket.contest);
      const ms = Math.min(Date.parse(ticket.sold_at) + ticket.correction_window_s * 1000 - now, opens);
      const mayCopy = opens > 0 && !ticket.printed && ticket.operator === till.me.session.operator;
      const offers = `${mayCopy} ${ms > 0}`;
      if (acts.dataset.offers !== offers) {
        acts.dataset.offers = offers;
        const time = timeOfDay(ticket.sold_at);
        acts.replaceChildren(...[
          mayCopy && h("button", { class: "button quiet", type: "button", "aria-label": t("copy_of", { time }), onclick: () => reprint(till, ticket, this.cameOut) }, t("copy")),
          ms > 0 && h("button", { class: "button quiet annul", type: "button", title: t("correct_of", { time }), onclick: () => annul(till, ticket, this.changed) }, t("correct"), " ", h("b", { class: "figure" })),
        ].filter(Boolean));
      }
      const clock = acts.querySelector(".annul b");
      if (clock) clock.textContent = left(ms);
    }
  }
}

/** `acts` are `changed`, `cameOut` and `opensMs(contest)`: the time until a contest closes, 0 if it is not on sale. */
export async function totals(till, acts) {
  const sums = await till.client.get("lototrot/terminal/totals");
  const list = await new List(till, sums.day, acts).load();
  const fact = (label, value) => [h("dt", {}, label), h("dd", {}, value)];
  return h("div", { class: "stack" },
    h("section", { class: "card" }, h("h2", {}, `${t("lototrot")} · ${date(sums.day)}`), h("dl", { class: "facts" },
      fact(t("tickets"), count(sums.tickets)), fact(t("bets_made"), count(sums.bets)), fact(t("takings"), amount(cents(sums.amount_cents))),
      fact(t("annulled_tickets"), count(sums.annulled_tickets)), fact(t("given_back"), amount(cents(sums.annulled_cents))))),
    list);
}
