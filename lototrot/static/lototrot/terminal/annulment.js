// Void a ticket to correct an error: it is surrendered, scanned and kept (14.III.1.4).

import { h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { cents } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { codeKeysSwitch } from "../../screens/terminal/code-keys.js";

export function annul(till, ticket, done) {
  const code = h("input", { class: "input code", id: "annul-code", required: true, autocomplete: "off", spellcheck: "false", autofocus: true });
  const reason = h("input", { class: "input", id: "annul-reason", required: true, maxlength: "200", value: t("annul_reason_default") });
  const error = h("p", { class: "notice bad", role: "alert", hidden: true });
  const field = h("div", { class: "field" }, h("label", { for: "annul-code" }, t("ticket_code")), code);
  field.append(codeKeysSwitch(code, () => code));
  const release = till.takeScans((scanned) => { code.value = scanned; reason.focus(); }, { inDialog: true });

  async function send(event) {
    event.preventDefault();
    error.hidden = true;
    try {
      const annulment = await till.client.post(`lototrot/tickets/${ticket.uuid}/annulment`, { code: code.value, reason: reason.value });
      box.close();
      till.toast(t("give_back", { amount: cents(annulment.refund_cents) }), "warn");
      done();
    } catch (problem) {
      error.textContent = problem.title ?? t("line_lost");
      error.hidden = false;
    }
  }

  const box = dialog(t("annul_title"), h("form", { class: "stack", onsubmit: send },
    h("p", {}, t("annul_why")),
    field,
    h("div", { class: "field" }, h("label", { for: "annul-reason" }, t("annul_reason")), reason),
    error,
    h("div", { class: "row ends" },
      h("button", { class: "button big", type: "button", onclick: () => box.close() }, t("do_not_annul")),
      h("button", { class: "button danger big", type: "submit" }, t("annul_for", { amount: cents(ticket.amount_cents) })))),
  { onclose: release });
}
