// Show a play from its sale to its end: the ticket, the player's touches, the result, the vouchers.

import { amount, h } from "../../screens/base/dom.js";
import { cents } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { Chance } from "./chance.js";
import { Drawn } from "./drawn.js";
import { forget, keep, kept } from "./kept.js";
import * as papers from "./papers.js";
import { pictureOf, prizeTable } from "./prizes.js";
import { sound, soundSwitch } from "./sound.js";
import { nameOf, sign, thingOf } from "./values.js";

const PETALS = 14;        // rosettes that fall for a win
const LOOK_MS = 20_000;   // so long the operator may look at a paper and ask for a copy

export class Stage {
  #looked = [];   // [UUID, its button for a copy] of each voucher whose paper came out, until it is confirmed
  #timer = 0;

  constructor(till, game, play, done) {
    Object.assign(this, { till, game, play, done });
    const hooks = {
      reveal: () => this.#act(1, "reveal"), act: (number, name) => this.#act(number, name),
      uncovered: (index) => this.#keep("uncovered", index), complete: (ended) => this.#complete(ended),
      already: kept()?.uncovered ?? [],
    };
    const isDrawn = game.screen.mode === "predrawn";
    this.ticket = isDrawn ? new Drawn(game, play, hooks) : new Chance(game, play, hooks);
    this.result = h("div", { class: "result", role: "status" });
    this.all = h("button", { class: "button", type: "button", "aria-keyshortcuts": "F8", hidden: !isDrawn || this.ticket.isComplete, onclick: () => this.ticket.touchAll() },
      t("uncover_all"), h("kbd", { "aria-hidden": "true" }, "F8"));
    this.leave = h("button", { class: "button primary big", type: "button", "aria-keyshortcuts": "F8", hidden: true, onclick: () => this.#leave() }, t("finish"), h("kbd", { "aria-hidden": "true" }, "F8"));
    this.receipt = h("button", { class: "button quiet", type: "button", onclick: () => this.#receipt() }, t("receipt"));
    this.element = h("section", { class: "stage", "aria-label": game.name },
      h("header", { class: "row ends" }, h("h1", { class: "row" }, sign(pictureOf(game)), game.name), h("p", { class: "row" }, soundSwitch(), h("span", { class: "small soft code" }, play.emission.reference), amount(cents(play.price_cents)), this.receipt)),
      h("div", { class: "paper", "data-theme": "light" }, this.ticket.element, h("aside", {}, prizeTable(game))),
      this.result, h("footer", { class: "row centre" }, this.all, this.leave));
    this.mirror = till.player.mirror(nameOf(game), this.element.querySelector(".paper"));
    this.mirrored = new MutationObserver(() => this.mirror());
    this.mirrored.observe(this.element.querySelector(".paper"), { subtree: true, childList: true, attributes: true });
  }

  /** Set the focus and restore the state before a reload, once the element is on the screen. */
  start() {
    this.ticket.restore();
    if (!this.ticket.isComplete) this.element.querySelector(".paper button:enabled")?.focus();
  }

  key(event) {
    if (event.key === "F9") {
      this.again?.click();
      return true;
    }
    if (event.key === "F8") {
      const button = this.leave.hidden ? this.all : this.leave;
      if (!button.hidden && !button.disabled) button.click();
      return true;
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const buttons = [...this.element.querySelectorAll(".paper button:enabled")];
    const place = buttons.indexOf(document.activeElement);
    if (!step || place < 0) return false;
    buttons[(place + step + buttons.length) % buttons.length].focus();
    return true;
  }

  async #act(number, act) {
    try {
      return await this.till.client.insist(() => this.till.client.post(`promotrot/plays/${this.play.uuid}/acts`, { number, act }));
    } catch (error) {
      this.till.tell(error);
      return null;
    }
  }

  #keep(list, value) {
    const stored = kept() ?? { uuid: this.play.uuid, uncovered: [] };
    keep({ ...stored, [list]: [...new Set([...stored[list], value])] });
  }

  async #complete(play) {
    this.play = play;
    this.mirrored.disconnect();
    this.all.hidden = true;
    const won = play.vouchers.length > 0;
    const lines = play.vouchers.map((voucher) => (voucher.thing ? [voucher.thing.name, " ", amount(cents(voucher.amount_cents))] : amount(cents(voucher.amount_cents))));
    const says = !won ? t("no_prize_this_time") : play.ending.cause === "refund" ? t("price_back") : t("you_win");
    const where = play.vouchers.map(({ held }) => (held ? t("held_at_office") : t("take_voucher")));
    sound(won ? "win" : "over");
    this.result.replaceChildren(h("div", { class: ["state", won ? "good moment" : "info"] }, won ? petals() : null,
      h("p", { class: "large" }, says, " ", lines.map((line, index) => [index ? " + " : "", line]))));
    const parts = play.vouchers.flatMap(({ thing, amount_cents }, index) => [index ? " + " : " ", thing ? [thingOf(this.game, thing.key), " "] : "", cents(amount_cents)]);
    this.mirror({ tone: won ? "good" : "info", large: [says, ...parts],
      note: [[...new Set(where)].map((text) => [text, " "]), t("keep_code"), " ", play.receipt.code, " ", play.receipt.proof] });
    this.leave.hidden = false;
    this.leave.disabled = true;
    for (const voucher of play.vouchers) await this.#print(voucher);
    if (this.#looked.length) this.#timer = setTimeout(() => this.#confirm(), LOOK_MS);
    this.#keepsake();
    this.leave.disabled = false;
    this.leave.focus();
    if (this.game.on_sale) {
      this.again = h("button", { class: "button big again", type: "button", "aria-keyshortcuts": "F9", onclick: () => this.#leave(true) },
        t("play_again"), " ", amount(cents(this.game.price_cents)), h("kbd", { "aria-hidden": "true" }, "F9"));
      this.result.firstChild.append(h("p", {}, this.again));
    }
  }

  /** Print a voucher, which is confirmed a little later. One that was printed before this play was opened is asked for. */
  async #print(voucher) {
    if (voucher.held) return this.result.append(h("p", { class: "notice warn" }, t("held_at_office")));
    if (papers.isHandedOver(voucher.uuid)) return this.result.append(papers.asked(this.till, voucher));
    try {
      await papers.print(this.till, voucher.uuid);
      const copy = h("button", { class: "button quiet copy", type: "button", onclick: () => papers.copy(this.till, voucher.uuid) }, t("copy"));
      this.#looked.push([voucher.uuid, copy]);
      this.result.append(h("p", { class: "row centre" }, h("span", {}, t("voucher_printed")), copy));
    } catch (problem) {
      if (!papers.hasNoPaper(problem)) this.till.tell(problem);
      this.result.append(h("p", { class: "notice warn" }, problem.title));
    }
  }

  async #confirm() {
    clearTimeout(this.#timer);
    const looked = this.#looked.splice(0);
    for (const [, copy] of looked) copy.remove();
    for (const [uuid] of looked) await papers.confirm(this.till, uuid);
  }

  async #receipt() {
    try {
      await this.till.print(await this.#receiptText());
    } catch (error) {
      this.till.tell(error);
    }
  }

  #receiptText() { return this.till.client.text(`promotrot/plays/${this.play.uuid}/receipt.html?lang=${language}`); }

  /** Show the code that every play leaves, which may win later, and offer its paper (15.III.6.2). */
  #keepsake() {
    const { code, proof, says } = this.play.receipt;
    this.result.append(h("div", { class: "stack tight keepsake" }, h("p", {}, says), h("p", { class: "code" }, code, " ", proof),
      h("p", {}, h("button", { class: "button", type: "button", onclick: () => this.#receipt() }, t("print_receipt")))));
  }

  /** Leave the play; with `again`, the player buys another of the same game. */
  async #leave(again = false) {
    this.leave.disabled = true;
    if (this.again) this.again.disabled = true;
    await this.#confirm();
    forget();
    this.till.player.clear();
    this.done(again);
  }
}

/** Return rosettes that fall over a win; who asks for less motion sees none. */
function petals() {
  return h("div", { class: "petals", "aria-hidden": "true" }, Array.from({ length: PETALS }, (_, index) => {
    const petal = sign("rosette");
    petal.style.setProperty("--at", `${(index * 100) / PETALS}%`);
    petal.style.setProperty("--late", `${(index * 7) % 10}`);
    return petal;
  }));
}
