// Run Promotrot's tab of the terminal: the games on sale, the sale of a play, the play.

import { amount, drawer, h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { cents, count, date, dayOf, decimal, hourOfDay } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { display } from "./display.js";
import { begin, forget, kept } from "./kept.js";
import * as papers from "./papers.js";
import { pictureOf, prizeTable, topPrize } from "./prizes.js";
import { Stage } from "./stage.js";
import { nameOf, sign } from "./values.js";
import { requestUuid } from "../../screens/terminal/request-uuid.js";

const KIND = "promotrot.play";
const PATH = "promotrot/plays";
const ASK_AGAIN_MS = 30_000;

export function panel(till) {
  const p = new Panel(till);
  const help = () => [["1 … 9", t("help_game")], ["↑ ↓ ← →, Enter", t("help_uncover")], ["F8", `${t("uncover_all")} / ${t("finish")}`], ["F9", t("play_again")]];
  return { element: p.element, help, show: () => p.show(), hide: () => p.hide(), signedOn: () => p.signedOn(), signedOff: () => p.signedOff(), day: () => p.day() };
}

class Panel {
  #games = [];
  #unfinished = [];
  #unprinted = [];
  #refusal = null;
  #stage = null;
  #isShown = false;
  #timer = 0;

  constructor(till) {
    this.till = till;
    this.element = h("div", { class: "promotrot" });
    this.cards = h("div", { class: "games" });
    this.draw = drawer(this.element);
    this.drawCards = drawer(this.cards);
    till.outbox.handle(KIND, {
      answered: (play, entry) => this.#sold(play, entry.uuid), resume: (entry) => this.#sold(null, entry.uuid),
      refused: (problem) => { till.toast(`${t("not_sold")} ${problem.title}`, "bad"); this.ask(); },
      burnt: () => { till.toast(t("given_up"), "warn"); this.ask(); },
    });
    addEventListener("keydown", (event) => this.#key(event));
    till.line.addEventListener("change", () => this.#lineTurned());
    till.outbox.addEventListener("change", () => this.#refresh());
  }

  show() {
    this.#isShown = true;
    if (this.#stage) this.#stage.start();
    else this.ask();
  }

  hide() {
    this.#isShown = false;
    clearTimeout(this.#timer);
  }

  signedOff() {
    clearTimeout(this.#timer);
    this.#stage = null;
    this.#games = [];
    this.element.replaceChildren();
  }

  /** Continue a play that was under way before anything else. */
  async signedOn() {
    if (!kept()) return;
    await this.ask();
    await this.#open(kept().uuid);
    this.till.open("promotrot");
  }

  async ask() {
    clearTimeout(this.#timer);
    if (!this.till.signedOn) return;
    if (!this.element.children.length) this.element.replaceChildren(h("p", { class: "loading" }, t("loading")));
    try {
      const [games, plays, vouchers] = await Promise.all(["games", "plays", "vouchers"].map((name) => this.till.client.get(`promotrot/terminal/${name}`)));
      this.#games = games.items;
      this.#refusal = games.refusal;
      this.#unfinished = plays.items;
      this.#unprinted = vouchers.items;
      this.#draw();
    } catch (error) {
      this.till.tell(error);
    }
    if (this.#isShown) this.#timer = setTimeout(() => this.ask(), ASK_AGAIN_MS);
  }

  #draw() {
    if (this.#stage) return;
    const onSale = this.#games.filter((game) => game.on_sale);
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.emission : null;
    this.drawCards(onSale.map((game, index) => [[game, index], () => this.#card(game, index)]));
    this.draw([
      ["heard", () => h("h1", { class: "heard" }, t("promotrot"))],
      ...(this.#refusal ? [[this.#refusal, () => h("p", { class: "notice bad", role: "alert" }, t(this.#refusal))]] : []),
      ...this.#unfinished.map((play) => [play, () => h("p", { class: "notice warn row ends" }, h("span", {}, t("unfinished", { emission: play.emission, time: hourOfDay(play.sold_at) })),
        h("button", { class: "button", type: "button", onclick: () => this.#open(play.uuid) }, t("go_on")))]),
      ...this.#unprinted.map((voucher) => [[voucher, papers.isHandedOver(voucher.uuid)], () => this.#unconfirmed(voucher)]),
      onSale.length ? ["games", () => this.cards] : ["none", () => h("p", { class: "empty large" }, t("no_games"))],
    ]);
    this.#refresh();
    if (this.#isShown && focused) this.element.querySelector(`[data-emission="${focused}"]`)?.focus();
  }

  #unconfirmed(voucher) {
    if (papers.isHandedOver(voucher.uuid)) return papers.asked(this.till, voucher, () => this.ask());
    return h("p", { class: "notice warn row ends" }, h("span", {}, t("unprinted", { amount: cents(voucher.amount_cents), time: hourOfDay(voucher.until) })),
      h("button", { class: "button", type: "button", onclick: () => this.#print(voucher) }, t("print_voucher")));
  }

  /** Print a voucher whose paper is not confirmed; then it is asked whether it came out. */
  async #print({ uuid }) {
    try {
      await papers.print(this.till, uuid);
    } catch (error) {
      this.till.tell(error);
    }
    this.ask();
  }

  #card(game, index) {
    return h("article", { class: "card game" }, sign(pictureOf(game)),
      h("div", { class: "stack tight" }, h("h2", {}, h("span", { class: "figure soft" }, `${index + 1} `), game.name),
        h("p", {}, t("up_to"), " ", topPrize(game)), game.main_prizes === null ? null : h("p", { class: "small" }, t("main_prizes_left", { n: game.main_prizes_left, all: game.main_prizes, day: dayOf(game.as_of), time: hourOfDay(game.as_of) })),
        h("p", { class: "small soft" }, t("to_prizes", { percent: decimal(game.prize_percent) }))),
      h("button", { class: ["button primary big buy", game.acknowledged ? null : "displays"], type: "button", "data-emission": game.emission, "aria-keyshortcuts": index < 9 ? String(index + 1) : null,
        "aria-label": `${game.acknowledged ? t("play_for") : t("before_selling")} ${cents(game.price_cents)}: ${game.name}`,
        onclick: () => (game.acknowledged ? this.#confirm(game) : display(this.till, game, () => this.ask())) },
      game.acknowledged ? [t("play_for"), " ", amount(cents(game.price_cents))] : t("before_selling")));
  }

  /** Ask again where the line was lost before anything could be shown. */
  #lineTurned() {
    const waits = this.#isShown && !this.#stage && !this.#games.length;
    if (waits && this.till.line.up) this.ask();
    else this.#refresh();
  }

  #refresh() {
    const may = this.till.line.up && !this.#refusal && !this.till.outbox.entry;
    for (const button of this.element.querySelectorAll(".buy")) button.disabled = !may;
  }

  #confirm(game) {
    this.till.player.show({ kind: "bet", tone: "info", title: nameOf(game), large: cents(game.price_cents), note: t("to_prizes", { percent: decimal(game.prize_percent) }) });
    let sells = false;
    const box = dialog(game.name, h("form", { class: "stack", method: "dialog", onsubmit: () => { sells = true; this.#buy(game); } },
      h("div", { class: "halves" }, h("ul", { class: "stack tight rules-list" }, game.rules.map((rule) => h("li", {}, rule))), prizeTable(game)),
      h("p", { class: "row ends" }, h("span", {}, t("to_prizes", { percent: decimal(game.prize_percent) })), amount(cents(game.price_cents), "large")),
      h("div", { class: "row ends" }, h("button", { class: "button big", type: "button", onclick: () => box.close() }, t("do_not_play")),
        h("button", { class: "button primary big", type: "submit", autofocus: true }, t("sell_for"), " ", amount(cents(game.price_cents))))),
    { className: "confirmation wide", onclose: () => { if (!sells) this.till.player.clear(); } });
  }

  #buy(game) {
    const uuid = requestUuid();
    const body = { uuid, emission: game.emission, price_cents: game.price_cents };
    this.till.outbox.ask({ kind: KIND, uuid, path: PATH, body, shown: cents(game.price_cents) }).catch(this.till.tell);
  }

  async #sold(play, uuid) {
    begin(uuid);
    this.till.outbox.done(uuid);
    await this.#open(uuid, play);
    this.till.open("promotrot");
  }

  async #open(uuid, answer = null) {
    const { client } = this.till;
    try {
      const play = answer ?? await client.insist(() => client.get(`${PATH}/${uuid}`));
      if (kept()?.uuid !== uuid) begin(uuid);
      let game = this.#games.find((each) => each.emission === play.emission.id);
      if (!game) {
        this.#games = (await client.insist(() => client.get("promotrot/terminal/games"))).items;
        game = this.#games.find((each) => each.emission === play.emission.id) ?? bare(play);
      }
      this.#stage = new Stage(this.till, game, play, (again) => {
        this.#stage = null;
        if (again) this.#buy(game);
        else this.ask();
      });
      this.element.replaceChildren(this.#stage.element);
      this.#stage.start();
    } catch (error) {
      if (error.code === "play_unknown" || error.code === "play_elsewhere") forget();
      this.till.tell(error);
    }
  }

  #key(event) {
    if (!this.#isShown || event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest?.("input, select, textarea")) return;
    if (this.#stage) { if (this.#stage.key(event)) event.preventDefault(); return; }
    if (/^[1-9]$/.test(event.key)) this.element.querySelectorAll(".buy")[Number(event.key) - 1]?.click();
  }

  async day() {
    const sums = await this.till.client.get("promotrot/terminal/totals");
    const fact = (label, value) => [h("dt", {}, label), h("dd", {}, value)];
    return h("section", { class: "card" }, h("h2", {}, `${t("promotrot")} · ${date(sums.day)}`), h("dl", { class: "facts" },
      fact(t("plays"), count(sums.plays)), fact(t("takings"), amount(cents(sums.amount_cents))),
      fact(t("plays_ended"), count(sums.ended)), fact(t("awarded"), amount(cents(sums.awarded_cents)))));
  }
}

/** Return a game without texts, for a play of a closed emission, whose texts are not served. */
function bare(play) {
  const own = { get: (_, key) => String(key) };
  return { name: play.emission.name, labels: new Proxy({}, own), prizes: new Proxy({}, own), screen: play.screen };
}
