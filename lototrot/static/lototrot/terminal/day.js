// Draw Lototrot's part of the day: totals and the last tickets.

import { amount, h } from "../../screens/base/dom.js";
import { cents, count, date, timeOfDay } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { reprint } from "./last.js";

const PAGE = 20;

function row(till, ticket, opensMs) {
  const mayCopy = !ticket.voided && !ticket.printed && ticket.operator === till.me.session.operator && opensMs(ticket.contest) > 0;
  const state = ticket.voided ? h("span", { class: "badge warn" }, t("annulled"))
    : ticket.printed ? h("span", { class: "badge good" }, t("printed")) : h("span", { class: "badge bad" }, t("not_printed"));
  return h("tr", {},
    h("td", {}, h("time", {}, timeOfDay(ticket.sold_at))), h("td", { class: "n" }, count(ticket.bets)), h("td", { class: "n" }, amount(cents(ticket.amount_cents))),
    h("td", { class: "n" }, String(ticket.operator)), h("td", {}, state),
    h("td", {}, !mayCopy ? null : h("button", { class: "button quiet", type: "button", "aria-label": t("copy_of", { time: timeOfDay(ticket.sold_at) }), onclick: () => reprint(till, ticket.uuid) }, t("copy"))));
}

/** `opensMs(contest)` returns the time until a contest closes, 0 if it is not on sale. */
export async function totals(till, opensMs) {
  const [sums, page] = await Promise.all([
    till.client.get("lototrot/terminal/totals"), till.client.get(`lototrot/terminal/tickets?limit=${PAGE}`),
  ]);
  const rows = h("tbody", {}, page.items.map((ticket) => row(till, ticket, opensMs)));
  const more = h("button", { class: "button", type: "button", hidden: !page.next });
  let { next } = page;
  more.addEventListener("click", async () => {
    try {
      const further = await till.client.get(`lototrot/terminal/tickets?limit=${PAGE}&cursor=${next}`);
      rows.append(...further.items.map((ticket) => row(till, ticket, opensMs)));
      ({ next } = further);
      more.hidden = !next;
    } catch (error) {
      till.tell(error);
    }
  });
  const fact = (label, value) => [h("dt", {}, label), h("dd", {}, value)];
  return h("div", { class: "stack" },
    h("section", { class: "card" }, h("h2", {}, `${t("lototrot")} · ${date(sums.day)}`), h("dl", { class: "facts" },
      fact(t("tickets"), count(sums.tickets)), fact(t("bets_made"), count(sums.bets)), fact(t("takings"), amount(cents(sums.amount_cents))),
      fact(t("annulled_tickets"), count(sums.annulled_tickets)), fact(t("given_back"), amount(cents(sums.annulled_cents))))),
    h("section", { class: "card" }, h("h2", {}, t("last_tickets")), page.items.length
      ? h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("last_tickets") }, h("table", { class: "table" }, h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, t("sold_at")), h("th", { scope: "col", class: "n" }, t("bets_made")), h("th", { scope: "col", class: "n" }, t("amount")),
        h("th", { scope: "col", class: "n" }, t("operator")), h("th", { scope: "col" }, t("paper")), h("td", {}))), rows))
      : h("p", { class: "empty" }, t("no_tickets")), more));
}
