// Print vouchers and confirm that their papers came out: from then on nothing gives their codes again.
// Of a paper that the printer got before, such as before a power cut, only the operator knows: it is
// asked for, in the play and later in the list of vouchers that are not confirmed.

import { h } from "../../screens/base/dom.js";
import { cents } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { requestUuid } from "../../screens/terminal/request-uuid.js";

const HANDED_OVER = "promotrot.handed-over";   // in localStorage: the UUID of each voucher that the printer got
// Problems after which the server never gives a voucher's original.
const NO_PAPER = new Set(["voucher_printed", "voucher_code_gone", "voucher_handed_over", "voucher_operator_differs", "voucher_print_too_late", "voucher_unknown"]);
const pathOf = (uuid) => `promotrot/vouchers/${uuid}`;
const stored = () => JSON.parse(localStorage.getItem(HANDED_OVER) ?? "[]");
const forget = (uuid) => localStorage.setItem(HANDED_OVER, JSON.stringify(stored().filter((other) => other !== uuid)));

export const isHandedOver = (uuid) => stored().includes(uuid);
export const hasNoPaper = ({ code }) => NO_PAPER.has(code);

/** Print the original, and note that the printer got it. */
export async function print(till, uuid) {
  await till.print(await till.client.insist(() => till.client.text(`${pathOf(uuid)}/voucher.html?lang=${language}`)));
  localStorage.setItem(HANDED_OVER, JSON.stringify([...stored(), uuid]));
}

/** Print a duplicate. Return the problem if there was one. */
export async function copy(till, uuid) {
  const body = { uuid: requestUuid(), format: "html", lang: language };
  try {
    await till.print(await till.client.insist(() => till.client.text(`${pathOf(uuid)}/reprints`, { method: "POST", body })));
    return null;
  } catch (error) {
    till.tell(error);
    return error;
  }
}

export async function confirm(till, uuid) {
  try {
    await till.client.insist(() => till.client.post(`${pathOf(uuid)}/print-confirmation`));
  } catch (problem) {
    if (!hasNoPaper(problem)) return till.tell(problem);
  }
  forget(uuid);
}

/** Return the question whether a voucher's paper came out; `answered()` follows an answer that ends it. */
export function asked(till, { uuid, amount_cents }, answered) {
  const end = () => { element.remove(); answered?.(); };
  async function came() {
    await confirm(till, uuid);
    end();
  }
  /** The question stays after a duplicate, which may not come out either. */
  async function missing() {
    const refused = await copy(till, uuid);
    if (!refused || !hasNoPaper(refused)) return;
    forget(uuid);
    end();
  }
  const element = h("p", { class: "notice warn row ends unknown", role: "alert" },
    h("span", {}, t("voucher_paper_unknown", { amount: cents(amount_cents) })),
    h("span", { class: "row" },
      h("button", { class: "button", type: "button", onclick: came }, t("paper_came_out")),
      h("button", { class: "button copy", type: "button", onclick: missing }, t("paper_missing"))));
  return element;
}
