// Show the state of a presented ticket or voucher in large type, and pay it once if it may be paid.
//
// Its code is never stored on this machine. A payment whose answer was lost is requested again while
// the code is in memory; after a restart its receipt tells whether it was paid.

import { amount, h } from "../base/dom.js";
import { READ_MS, dialog } from "../base/dialog.js";
import { cents, date, dayOf, hourOfDay } from "../base/format.js";
import { payersOf } from "../base/payers.js";
import { articlesOf, has, language, plain, remember, t } from "../base/text.js";
import { codeKeysSwitch } from "./code-keys.js";
import { requestUuid } from "./request-uuid.js";

const KIND = "payoffice.payment";
const PATH = "claims/payments";
const PRINTED = "printed";
const ON_ITS_WAY_MS = 30_000;   // so long a payment may be under way after it was asked for
const AGAIN_MS = 1000;
const MISTYPED = new Set(["code_malformed", "code_mistyped"]);
const REASONS = ["damaged", "altered", "unreadable", "unverifiable"];
// The checks of texts look for these keys, which are put together at run time:
// t("state_sold") t("state_void") t("state_no_prize") t("state_prize") t("state_refund_due")
// t("state_presented") t("state_deposited") t("state_blocked") t("state_granted") t("state_paid")
// t("state_exchanged") t("state_lapsed") t("state_refused")
const TONES = { prize: "good", refund_due: "good", granted: "good", presented: "warn", deposited: "warn", blocked: "warn", sold: "info", no_prize: "info" };
// t("stage_on_sale") t("stage_awaiting_results") t("stage_awaiting_order")
// t("paid_here_must") t("paid_here_may")
// t("reason_damaged") t("reason_altered") t("reason_unreadable") t("reason_unverifiable")

export function prizes(till) {
  const p = new Prizes(till);
  const help = () => [["Enter", `${t("check")}, ${t("intact_pay")}`], ["Esc", t("next")]];
  return { element: p.element, help, needs: "check", show: () => p.show(), signedOff: () => p.reset(), signedOn: () => p.signedOn() };
}

class Prizes {
  #code = "";
  #asking = 0;   // the number of the last check: an answer to one before it is not shown
  #document = null;
  #release = null;

  constructor(till) {
    this.till = till;
    this.input = h("input", { class: "input code", id: "presented-code", autocomplete: "off", spellcheck: "false", maxlength: "96", required: true });
    this.form = h("form", { class: "row presented", onsubmit: (event) => { event.preventDefault(); this.check(this.input.value); } },
      h("div", { class: "field" }, h("label", { for: "presented-code" }, t("presented_code")), this.input),
      codeKeysSwitch(this.input, () => this.form),
      h("button", { class: "button primary big", type: "submit" }, t("check")));
    this.place = h("div", { class: "stack shown" });
    this.element = h("section", { class: "prizes-desk stack" }, h("h1", { class: "heard" }, t("prizes")), this.form, this.place);
    till.outbox.handle(KIND, {
      answered: (paid, entry) => this.#paid(paid, entry), resume: (entry) => this.#receipt(entry), lost: (entry) => this.#lost(entry),
      refused: (problem) => this.#refused(problem), waiting: t("waiting_payment_why"),
    });
    till.line.addEventListener("change", () => this.#line());
    addEventListener("keydown", (event) => this.#key(event));
    this.#empty();
  }

  /** Escape begins with the next document, wherever the focus is. */
  #key({ key }) {
    if (key !== "Escape" || !this.element.isConnected || this.till.outbox.entry || document.querySelector("dialog[open]")) return;
    this.#next();
  }

  #next() {
    this.#empty();
    this.input.focus();
  }

  show() { this.input.focus(); }

  signedOn() {
    this.#release ??= this.till.takeScans((code) => {
      this.till.open("prizes");
      this.check(code);
    });
  }

  reset() {
    this.#release?.();
    this.#release = null;
    this.#empty();
  }

  #empty() {
    this.#asking += 1;
    this.#code = "";
    this.#document = null;
    this.input.value = "";
    this.place.replaceChildren(h("p", { class: "empty large" }, t("scan_or_type")));
    this.till.player.clear();
  }

  async check(code) {
    const asking = ++this.#asking;
    this.#code = code.trim();
    this.input.value = "";
    this.place.replaceChildren(h("p", { class: "loading" }, t("loading")));
    try {
      const presented = await this.till.client.post("claims/check", { code: this.#code });
      const why = presented.refusal && await this.till.client.get(`problems/${presented.refusal}`);
      if (asking !== this.#asking) return;
      this.#document = presented;
      this.#draw(why ? why.title : "");
    } catch (error) {
      if (asking !== this.#asking) return;
      const typed = this.#code;
      this.#code = "";
      this.#fault(error);
      if (MISTYPED.has(error.code)) this.#again(typed);
    }
  }

  /** Give a code with an error back in the groups of the paper, so that one character is put right. A scan replaces it. */
  #again(typed) {
    const groups = typed.replace(/^https?.*[^0-9A-Za-z\s-]/i, "").replace(/[\s-]/g, "").toUpperCase().match(/.{1,4}/g) ?? [];
    this.input.value = groups.join("-");
    this.input.select();
    this.place.firstChild.append(h("p", {}, t("code_typed", { n: groups.join("").length })));
  }

  #fault(error) {
    const words = error instanceof this.till.Problem ? remember(plain(error.title), { problem: error.code }) : t("line_lost");
    this.place.replaceChildren(h("div", { class: "state bad", role: "alert" }, h("p", { class: "large" }, t("not_known")), h("p", {}, words)));
    this.till.player.show({ kind: "prize", tone: "bad", title: t("not_known"), note: words });
    if (!(error instanceof this.till.Problem || error instanceof this.till.LineLost)) throw error;
  }

  #draw(why) {
    const presented = this.#document;
    const paid = presented.state === "paid" || presented.state === "exchanged";
    const owed = presented.amount_cents > 0 && !paid;
    const tone = !owed ? TONES[presented.state] ?? "bad" : presented.refusal ? "warn" : TONES[presented.state] ?? "bad";
    const title = t(`state_${presented.state}`);
    const sum = presented.amount_cents ? cents(presented.amount_cents) : "";
    const thing = presented.thing ? presented.thing.description : "";
    const shared = this.#rows();
    const rows = [...this.#paidBefore(), ...shared];
    this.till.player.show({ kind: "prize", tone, title, large: thing && sum ? [thing, " · ", sum] : thing || sum, rows: shared, note: why && remember(plain(why), { problem: presented.refusal }) });
    this.place.replaceChildren(
      h("div", { class: ["state", tone], role: "status" },
        h("p", { class: "large" }, title), sum ? h("p", { class: "large amount huge" }, sum) : null, thing ? h("p", { class: "large" }, thing) : null,
        why ? h("p", { class: "why" }, plain(why)) : owed ? h("p", { class: "why" }, t(`paid_here_${presented.duty}`)) : null),
      this.#acts(),
      rows.length || articlesOf(why) ? h("div", { class: "card" }, h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])),
        articlesOf(why) ? h("p", { class: "small soft" }, articlesOf(why)) : null) : "",
      this.till.panel(presented.game)?.details?.(presented.details) ?? "");
    this.input.focus();
    this.#offer(this.#asking);
  }

  /** Let Enter pay, once somebody can have read what it pays: until then it is in the empty field, and does nothing. */
  #offer(asking) {
    setTimeout(() => {
      const waits = asking === this.#asking && document.activeElement === this.input && !this.input.value;
      if (waits) this.payButton?.focus({ preventScroll: true });   // a finger may be on its way to it
    }, READ_MS);
  }

  /** Return when and where it was paid. The operator tells it: the player's screen does not, as the bearer may be another. */
  #paidBefore() {
    const { paid } = this.#document;
    if (!paid) return [];
    const at = { day: dayOf(paid.at), time: hourOfDay(paid.at) };
    return [[t("paid_before"), paid.here ? t("paid_here_at", { ...at, premises: this.till.me.premises_name }) : t("paid_elsewhere", at)]];
  }

  #rows() {
    const { first_pay_day: first, last_claim_day: last, stage, means } = this.#document;
    return [
      stage && has(`stage_${stage}`) ? [t("stage"), t(`stage_${stage}`)] : null,
      ...payersOf(this.#document),
      means === "nominative_cheque" ? [t("means"), t("nominative_cheque")] : null,
      first ? [t("first_pay_day"), date(first)] : null, last ? [t("last_claim_day"), date(last)] : null,
    ].filter(Boolean);
  }

  #acts() {
    const { amount_cents: owed, presentable, refusal, state } = this.#document;
    const can = (what) => this.till.me.capabilities.includes(what);
    const claimable = presentable || ["presented", "granted"].includes(state);
    const button = (text, act, more = "") => h("button", { class: `button big ${more}`, type: "button", onclick: act }, text);
    // Cash is paid with one touch, which says that the paper agrees; a cheque asks who the payee is.
    const byCheque = this.#document.means === "nominative_cheque";
    const pay = byCheque ? () => this.#ask() : () => this.#pay(this.#document, null, "");
    this.payButton = owed && !refusal && can("pay") ? button([byCheque ? t("pay") : t("intact_pay"), " ", amount(cents(owed))], pay, "primary") : null;
    this.#line();
    return h("div", { class: "row acts" }, this.payButton && !byCheque ? h("p", { class: "notice intact" }, t("intact_why")) : null, this.payButton,
      presentable && refusal && can("deposit") ? button(t("present"), () => this.#present()) : null,
      claimable && can("deposit") ? button(this.payButton ? t("not_intact") : t("deposit"), () => this.#deposit(), "deposit") : null,
      button(t("print_state"), () => this.#slip()), h("button", { class: "button big", type: "button", "aria-keyshortcuts": "Escape", onclick: () => this.#next() }, t("next")));
  }

  #line() { if (this.payButton) this.payButton.disabled = !this.till.line.up; }

  /** Ask the operator to compare the paper with the screen before paying. */
  #ask() {
    const presented = this.#document;
    const cheque = presented.means === "nominative_cheque";
    const fields = cheque ? payee() : [];
    let second = "";
    const error = h("p", { class: "notice bad", role: "alert", hidden: true });
    const box = dialog(t("pay"), h("form", { class: "stack", onsubmit: async (event) => {
      event.preventDefault();
      const data = new FormData(event.target);
      try {
        second = data.get("second-number") ? await this.#second(data) : "";
      } catch (problem) {
        error.textContent = problem.title ?? t("line_lost");
        error.hidden = false;
        return;
      }
      box.close();
      this.#pay(presented, cheque ? { name: data.get("name"), document_kind: data.get("kind"), document_number: data.get("document") } : null, second);
    } },
    h("p", { class: "large amount" }, cents(presented.amount_cents)), h("p", { class: "notice" }, t("intact_why")), fields,
    this.needsSecond ? secondPerson() : null, error,
    h("div", { class: "row ends" }, h("button", { class: "button big", type: "button", onclick: () => { box.close(); this.#deposit(); } }, t("not_intact")),
      h("button", { class: "button primary big", type: "submit", autofocus: !cheque }, t("intact_pay"), " ", amount(cents(presented.amount_cents))))));
  }

  /** Return the token of a second operator's session; the terminal's own session stays. */
  async #second(data) {
    const session = await this.till.client.sessionOf(Number(data.get("second-number")), data.get("second-pin"));
    return session.token;
  }

  #pay(presented, who, second) {
    const uuid = requestUuid();
    const secret = { code: this.#code, ...(who ? { payee: who } : {}), ...(second ? { second_session: second } : {}) };
    this.needsSecond = false;
    this.till.outbox.ask({ kind: KIND, uuid, path: PATH, body: { uuid, amount_cents: presented.amount_cents, intact: true }, shown: cents(presented.amount_cents) }, secret).catch(this.till.tell);
  }

  #refused(problem) {
    if (problem.code === "second_person_needed") {
      this.needsSecond = true;
      return this.#ask();
    }
    this.till.toast(problem.title, "bad");
    if (this.#code) this.check(this.#code);
  }

  async #paid(paid, entry) {
    this.#say(entry);
    await this.#receipt(entry);
  }

  #say(entry) {
    this.#code = "";
    this.place.replaceChildren(h("div", { class: "state good", role: "status" }, h("p", { class: "large" }, t("paid_now")), h("p", { class: "large amount huge" }, entry.shown), h("p", { class: "why" }, t("hand_over"))));
    this.till.player.show({ kind: "prize", tone: "good", title: t("paid_now"), large: entry.shown });
  }

  async #receipt(entry) {
    const { outbox, client } = this.till;
    try {
      if (entry.stage !== PRINTED) await this.till.print(await client.insist(() => client.text(`${PATH}/${entry.uuid}/receipt.html?lang=${language}`)));
    } catch (error) {
      this.till.tell(error);
    }
    outbox.done(entry.uuid);
    this.till.open("prizes");
    this.input.focus();
  }

  /** Ask for the receipt, which tells whether the payment was made: the code is lost. */
  async #lost(entry) {
    const { client, outbox } = this.till;
    try {
      const receipt = await this.#receiptOf(entry);
      this.#say(entry);
      await this.till.print(receipt);
    } catch (error) {
      if (!(error instanceof this.till.Problem)) throw error;
      if (!client.session) return;   // signing on asks again
      const words = error.code === "payment_unknown" ? [t("not_paid")] : [];
      this.till.toast([...words, error.title].join(" "), "bad");
    }
    outbox.done(entry.uuid);
    this.till.open("prizes");
  }

  /** Return the receipt, and wait for that of a payment that was asked for a moment ago. */
  async #receiptOf(entry) {
    const { client, clock } = this.till;
    try {
      return await client.insist(() => client.text(`${PATH}/${entry.uuid}/receipt.html?lang=${language}`));
    } catch (problem) {
      if (problem.code !== "payment_unknown" || clock.now() - entry.at > ON_ITS_WAY_MS) throw problem;
    }
    await new Promise((done) => setTimeout(done, AGAIN_MS));
    return this.#receiptOf(entry);
  }

  async #slip() {
    try {
      await this.till.print(await this.till.client.text(`claims/slip.html?lang=${language}`, { method: "POST", body: { code: this.#code } }));
    } catch (error) {
      this.till.tell(error);
    }
  }

  async #present() {
    const { client } = this.till;
    try {
      const { receipt } = await client.post("claims/presentations", { code: this.#code, intact: true });
      await this.till.print(await client.text(`claims/presentations/${receipt}/receipt.html?lang=${language}`));
      this.till.toast(t("presented_done"), "good");
      await this.check(this.#code);
    } catch (error) {
      this.till.tell(error);
    }
  }

  #deposit() {
    const code = this.#code;
    const uuid = requestUuid();
    const box = dialog(t("deposit"), h("form", { class: "stack", onsubmit: async (event) => {
      event.preventDefault();
      const data = new FormData(event.target);
      const { client } = this.till;
      try {
        await client.insist(() => client.post("claims/deposits", { uuid, reason: data.get("reason"), notes: data.get("notes"), ...(data.get("reason") === "unreadable" ? {} : { code }) }));
        box.close();
        await this.till.print(await client.insist(() => client.text(`claims/deposits/${uuid}/receipt.html?lang=${language}`)));
        this.till.toast(t("deposited_done"), "good");
        if (code) await this.check(code);
      } catch (error) {
        this.till.tell(error);
      }
    } },
    h("p", {}, t("deposit_why")),
    h("fieldset", { class: "field" }, h("legend", {}, t("deposit_reason")), REASONS.map((reason, index) => h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value: reason, checked: index === 0 }), t(`reason_${reason}`)))),
    h("div", { class: "field" }, h("label", { for: "deposit-notes" }, t("notes")), h("input", { class: "input", id: "deposit-notes", name: "notes", maxlength: "1000" })),
    h("div", { class: "row ends" }, h("button", { class: "button big", type: "button", onclick: () => box.close() }, t("back")), h("button", { class: "button primary big", type: "submit" }, t("deposit")))));
  }
}

function payee() {
  const kinds = { dni: "DNI", nie: "NIE", passport: t("passport"), other: t("other_document") };
  return [
    h("p", { class: "notice warn" }, t("cheque_why")),
    h("div", { class: "field" }, h("label", { for: "payee-name" }, t("payee_name")), h("input", { class: "input", id: "payee-name", name: "name", required: true, maxlength: "120", autocomplete: "off", autofocus: true })),
    h("div", { class: "row" }, h("div", { class: "field" }, h("label", { for: "payee-kind" }, t("payee_document")), h("select", { class: "input", id: "payee-kind", name: "kind" }, Object.entries(kinds).map(([value, name]) => h("option", { value }, name)))),
      h("div", { class: "field" }, h("label", { for: "payee-number" }, t("payee_number")), h("input", { class: "input", id: "payee-number", name: "document", required: true, maxlength: "40", autocomplete: "off" }))),
  ];
}

function secondPerson() {
  const field = (id, label, more) => h("div", { class: "field" }, h("label", { for: id }, label), h("input", { class: "input", id, name: id, required: true, inputmode: "numeric", autocomplete: "off", ...more }));
  return h("fieldset", { class: "row" }, h("legend", {}, t("second_person")), field("second-number", t("operator_number"), {}), field("second-pin", t("pin"), { type: "password" }));
}
