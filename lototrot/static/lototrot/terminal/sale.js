// Sell tickets: ask through the outbox, print the answer's paper and confirm that it was printed.
// The confirmation waits until the operator has had time to look at the paper, or sells again: until
// then a copy may be had; afterwards nothing gives the code again. Of a paper that went to the printer
// before this page was opened, such as before a power cut, only the operator knows: it is asked for.

import { h } from "../../screens/base/dom.js";
import { cents, timeOfDay } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { requestUuid } from "../../screens/terminal/request-uuid.js";
import { reprint } from "./last.js";

export const KIND = "lototrot.ticket";
const PATH = "lototrot/tickets";
const PRINTED = "printed";   // the paper is printed and only its confirmation is missing
const PAUSE_MS = 1000;
const LOOK_MS = 20_000;
const HANDED_OVER = "lototrot.handed-over";   // in localStorage: {uuid, amount_cents, sold_at} of each paper that the printer got a moment ago
const unconfirmed = () => JSON.parse(localStorage.getItem(HANDED_OVER) ?? "[]");
const forget = (uuid) => localStorage.setItem(HANDED_OVER, JSON.stringify(unconfirmed().filter((other) => other.uuid !== uuid)));
// Problems after which the server never gives the original.
const NO_PAPER = new Set(["slip_printed", "operator_differs", "contest_closed", "ticket_not_printable", "ticket_unknown"]);

export function sales(till, { sold, failed }) {
  const { client, outbox } = till;

  let looking = 0;
  const unknown = new Set(unconfirmed().map(({ uuid }) => uuid));   // handed over before this page was opened
  const asked = h("div", { class: "stack", id: "papers" });

  /** Note that a paper came out; confirm it unless the operator asks for a copy meanwhile. */
  function cameOut({ uuid, amount_cents, sold_at }) {
    forget(uuid);
    localStorage.setItem(HANDED_OVER, JSON.stringify([...unconfirmed(), { uuid, amount_cents, sold_at }]));
    clearTimeout(looking);
    looking = setTimeout(() => confirm(), LOOK_MS);
  }

  async function confirm() {
    clearTimeout(looking);
    for (const { uuid } of unconfirmed().filter((each) => !unknown.has(each.uuid))) {
      try {
        await client.post(`${PATH}/${uuid}/print-confirmation`);
      } catch (error) {
        if (!(error instanceof till.Problem) || error.transient || error.status >= 500 || error.code.startsWith("token_")) {
          looking = setTimeout(() => confirm(), LOOK_MS);
          return;
        }
      }
      forget(uuid);
    }
  }

  /** Ask the operator which of the papers came out that were under way when this page was left. */
  function ask() {
    asked.replaceChildren(...unconfirmed().filter((each) => unknown.has(each.uuid)).map((ticket) => h("div", { class: "notice warn row ends", role: "alert" },
      h("span", {}, t("paper_unknown", { time: timeOfDay(ticket.sold_at), amount: cents(ticket.amount_cents) })),
      h("span", { class: "row" },
        h("button", { class: "button", type: "button", onclick: () => takeAsPrinted(ticket.uuid) }, t("paper_came_out")),
        h("button", { class: "button copy", type: "button", onclick: () => again(ticket) }, t("paper_missing"))))));
  }

  function takeAsPrinted(uuid) {
    unknown.delete(uuid);
    ask();
    return confirm();
  }

  /** Print a copy of a paper that did not come out. The question stays, as the copy may not come out either. */
  async function again(ticket) {
    const refused = await reprint(till, ticket, cameOut);
    if (!NO_PAPER.has(refused?.code)) return;
    forget(ticket.uuid);
    ask();
  }

  /** Sell one bet; `coupon` is true for one of several in a payment. */
  async function sell({ uuid = requestUuid(), contest, price_cents, amount_cents, races }, { coupon = false } = {}) {
    confirm();
    await outbox.ask({ kind: KIND, uuid, path: PATH, body: { uuid, contest, price_cents, amount_cents, races }, shown: cents(amount_cents), coupon });
  }

  /** Fetch and print the paper. Return whether the player has the ticket. */
  async function paperOf(uuid) {
    try {
      if (outbox.entry.stage !== PRINTED) {
        await till.print(await client.text(`${PATH}/${uuid}/slip.html?lang=${language}`));
        outbox.mark(PRINTED);
        cameOut({ ...outbox.entry.body, sold_at: outbox.entry.at });
      }
      return true;
    } catch (problem) {
      if (!(problem instanceof till.Problem) || !NO_PAPER.has(problem.code)) throw problem;
      if (problem.code === "slip_printed") return true;
      till.toast(`${t("registered_without_paper")} ${problem.title}`, "bad");
      return false;
    }
  }

  async function answered(ticket) {
    if (ticket.state === "void") {
      till.toast(t("annulled_meanwhile"), "warn");
      return outbox.done(ticket.uuid);
    }
    const { coupon } = outbox.entry;
    if (await tried(() => paperOf(ticket.uuid))) sold(ticket, coupon);
  }

  /** Run `act` and delete the entry. If the connection is lost, keep the entry and resume later. */
  async function tried(act) {
    try {
      const out = await act();
      outbox.done(outbox.entry.uuid);
      return out;
    } catch (error) {
      till.tell(error);
      if (error instanceof till.LineLost || error.transient) {
        setTimeout(() => till.line.back().then(() => outbox.resume()).catch(till.tell), PAUSE_MS);
      }
      return false;
    }
  }

  async function resume(entry) {
    const ticket = await tried(async () => {
      const answer = await client.post(`${PATH}/${entry.uuid}/inquiry`);
      return (await paperOf(entry.uuid)) && answer.ticket;
    });
    if (ticket) sold(ticket, entry.coupon);
  }

  return {
    sell, answered, resume, cameOut, ask, asked,
    mayCopy: (uuid) => unconfirmed().some((each) => each.uuid === uuid),
    refused: (problem, entry) => failed(problem, entry),
    burnt: (entry) => failed({ title: t("given_up"), code: "burnt" }, entry),
  };
}
