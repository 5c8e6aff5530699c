// Sell tickets: ask through the outbox, print the answer's paper and confirm that it was printed.
// The confirmation waits until the operator has had time to look at the paper, or sells again: until
// then a copy may be had; afterwards nothing gives the code again.

import { cents } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { requestUuid } from "../../screens/terminal/request-uuid.js";

export const KIND = "lototrot.ticket";
const PATH = "lototrot/tickets";
const PRINTED = "printed";   // the paper is printed and only its confirmation is missing
const PAUSE_MS = 1000;
const LOOK_MS = 20_000;
const PRINTED_YET = "lototrot.unconfirmed";   // in localStorage: tickets that came out a moment ago
const unconfirmed = () => JSON.parse(localStorage.getItem(PRINTED_YET) ?? "[]");
// Problems after which the server never gives the original.
const NO_PAPER = new Set(["slip_printed", "operator_differs", "contest_closed", "ticket_not_printable", "ticket_unknown"]);

export function sales(till, { sold, failed }) {
  const { client, outbox } = till;

  let looking = setTimeout(() => confirm());

  /** Note that a paper came out; confirm it unless the operator asks for a copy meanwhile. */
  function cameOut(uuid) {
    localStorage.setItem(PRINTED_YET, JSON.stringify([...new Set([...unconfirmed(), uuid])]));
    clearTimeout(looking);
    looking = setTimeout(() => confirm(), LOOK_MS);
  }

  async function confirm() {
    clearTimeout(looking);
    for (const uuid of unconfirmed()) {
      try {
        await client.post(`${PATH}/${uuid}/print-confirmation`);
      } catch (error) {
        if (!(error instanceof till.Problem) || error.transient || error.status >= 500 || error.code.startsWith("token_")) {
          looking = setTimeout(() => confirm(), LOOK_MS);
          return;
        }
      }
      localStorage.setItem(PRINTED_YET, JSON.stringify(unconfirmed().filter((other) => other !== uuid)));
    }
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
        cameOut(uuid);
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
    sell, answered, resume, cameOut,
    mayCopy: (uuid) => unconfirmed().includes(uuid),
    refused: (problem, entry) => failed(problem, entry),
    burnt: (entry) => failed({ title: t("given_up"), code: "burnt" }, entry),
  };
}
