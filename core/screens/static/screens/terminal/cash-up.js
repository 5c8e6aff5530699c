// Close the operator's shift: what must be in the drawer, what was counted, the slip.

import { amount, h } from "../base/dom.js";
import { cents, count, dayOf, hourOfDay } from "../base/format.js";
import { language, t } from "../base/text.js";
import { requestUuid } from "./request-uuid.js";

// The checks of texts look for these keys, which are put together at run time:
// t("drawer_sales") t("drawer_annulments") t("drawer_prizes") t("drawer_other")

/** Return typed euros ("12", "12,5", "12.50") as cents; NaN if they are none. */
function typed(input) {
  const text = input.value.trim().replace(",", ".");
  return /^\d{1,7}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : NaN;
}

function field(id, label, value = "") {
  return h("div", { class: "field" }, h("label", { for: id }, label), h("input", { class: "input", id, inputmode: "decimal", autocomplete: "off", required: true, value }));
}

/** Return the card of the shift; `done()` is called when it has been closed. */
export async function cashUp(till, done) {
  const drawer = await till.client.get("terminal/drawer");
  const uuid = requestUuid();
  const fields = h("div", { class: "row" }, field("cash-float", t("cash_float"), "0"), field("cash-counted", t("cash_counted")));
  const [float, counted] = fields.querySelectorAll("input");
  const difference = h("output", { class: "amount large", "aria-live": "polite" });
  const close = h("button", { class: "button", type: "submit", disabled: true }, t("close_shift"));

  function compare() {
    const left = typed(counted) - typed(float) - drawer.expected_cents;
    close.disabled = Number.isNaN(left);
    difference.textContent = Number.isNaN(left) ? "" : cents(left);
    difference.classList.toggle("bad", left < 0);
  }

  async function send(event) {
    event.preventDefault();
    close.disabled = true;
    const { client } = till;
    const body = { uuid, expected_cents: drawer.expected_cents, float_cents: typed(float), counted_cents: typed(counted) };
    try {
      await client.insist(() => client.post("terminal/cash-ups", body));
      await till.print(await client.insist(() => client.text(`terminal/cash-ups/${uuid}/slip.html?lang=${language}`)));
      till.toast(t("shift_closed"), "good");
    } catch (error) {
      till.tell(error);
    }
    done();
  }

  const line = ({ game, column, count: number, cents: moved }) => [
    h("dt", {}, [till.panel(game)?.title, `${t(`drawer_${column}`)} (${count(number)})`].filter(Boolean).join(" · ")), h("dd", {}, amount(cents(moved)))];
  return h("section", { class: "card stack cash-up" }, h("h2", {}, `${t("cash_up")} · ${t("since", { date: dayOf(drawer.since), time: hourOfDay(drawer.since) })}`),
    h("dl", { class: "facts" }, drawer.lines.map(line), h("dt", {}, h("b", {}, t("in_drawer"))), h("dd", {}, amount(cents(drawer.expected_cents), "large"))),
    h("form", { class: "stack", oninput: compare, onsubmit: send }, fields,
      h("p", { class: "row ends" }, h("span", {}, t("cash_difference"), " ", difference), close)));
}
