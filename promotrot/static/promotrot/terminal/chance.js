// A probabilistic game: the player's acts decide, one after the other, and each is asked of the
// system, which draws what comes of it and has it on record before it is shown.

import { announce, h } from "../../screens/base/dom.js";
import { t } from "../../screens/base/text.js";
import { percent, prizeOf, sign } from "./prizes.js";

/** Behind the doors of some stalls there are prizes. */
function hidden(game, play, act) {
  const places = game.screen.mechanic.deals[0].contents.length;
  const opened = new Map(play.acts.filter((each) => each.act.startsWith("open-")).map((each) => [each.act, each.shown]));
  const doors = Array.from({ length: places }, (_, index) => {
    const name = `open-${index + 1}`;
    const isOpen = opened.has(name);
    const shown = isOpen ? prizeOf(game, opened.get(name)) : null;
    return h("button", { type: "button", class: ["door", isOpen && "open"], disabled: !play.legal.includes(name), onclick: () => act(name),
      "aria-label": isOpen ? null : `${game.labels.open}: ${t("stall", { number: index + 1 })}` },
    sign(isOpen ? "stall-open" : "stall"), h("span", { class: "inside" }, isOpen ? shown : String(index + 1)));
  });
  const keep = play.legal.includes("keep") ? h("button", { type: "button", class: "button primary big", onclick: () => act("keep") }, game.labels.keep) : null;
  return h("div", { class: "stack" }, h("div", { class: "doors" }, doors), h("div", { class: "row centre acts" }, keep));
}

/** Rungs to climb or to stop on. */
function ladder(game, play, act) {
  const { rungs } = game.screen.mechanic;
  const steps = play.acts.filter((each) => each.act !== "stop");
  const fell = steps.at(-1)?.shown === -1;
  const at = steps.filter((each) => each.shown >= 0).at(-1)?.shown ?? 0;
  const rows = rungs.map((rung, index) => h("li", { class: ["rung", index === at && "here", index === at && fell && "fell"], "aria-current": index === at ? "step" : null },
    h("span", { class: "figure" }, String(index)), h("span", { class: "horse" }, index === at ? sign("trotter", fell ? t("fallen") : t("you_are_here")) : null),
    h("span", {}, rung.stop ? prizeOf(game, rung.stop) : "")));
  const ways = new Map(rungs[at].ways.map((way) => [way.name, way]));
  const buttons = play.legal.map((name) => {
    const way = ways.get(name);
    const chance = way ? [h("span", { class: "small" }, t("chance", { percent: percent(way.up, way.of) })),
      way.fall ? h("span", { class: "small" }, t("or_else"), " ", prizeOf(game, way.fall)) : null] : h("span", { class: "small" }, prizeOf(game, rungs[at].stop));
    return h("button", { type: "button", class: ["button big act", name === "stop" ? "" : "primary"], onclick: () => act(name) }, h("b", {}, game.labels[name]), chance);
  });
  return h("div", { class: "climb" }, h("ol", { class: "ladder", reversed: true }, rows.reverse()), h("div", { class: "stack acts" }, buttons));
}

const kinds = { hidden, ladder };

export class Chance {
  /** `act(number, name)` resolves with the play after it. */
  constructor(game, play, { act, complete }) {
    Object.assign(this, { game, play, complete, ask: act, busy: false });
    this.element = h("div", { class: "chance" });
    this.#draw();
  }

  get isComplete() { return Boolean(this.play.ending); }
  restore() { if (this.isComplete) this.complete(this.play); }

  async act(name) {
    if (this.busy) return;
    this.busy = true;
    this.element.inert = true;
    const play = await this.ask(this.play.acts.length + 1, name);
    this.busy = false;
    this.element.inert = false;
    if (!play) return;
    this.play = play;
    this.#draw();
    const { shown } = play.acts.at(-1);
    if (this.game.screen.mechanic.kind === "hidden") announce([prizeOf(this.game, shown)].flat().map((part) => part.textContent ?? part).join(""));
    if (this.isComplete) this.complete(play);
    else this.element.querySelector("button:enabled")?.focus();
  }

  #draw() { this.element.replaceChildren(kinds[this.game.screen.mechanic.kind](this.game, this.play, (name) => this.act(name))); }
}
