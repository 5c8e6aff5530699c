// Play a probabilistic game: the player's acts decide, one after the other. The server draws the
// outcome of each act and records it before it is shown.

import { announce, h } from "../../screens/base/dom.js";
import { mechanics } from "./mechanics.js";
import { prizeOf } from "./values.js";

export class Chance {
  /** Take hooks: `act(number, name)` resolves with the play after the act. */
  constructor(game, play, { act, complete }) {
    Object.assign(this, { game, play, complete, ask: act, busy: false });
    this.element = h("div", { class: "chance" });
    this.#draw();
  }

  get #mechanic() { return mechanics[this.game.screen.mechanic.kind]; }
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
    if (this.#mechanic.tells) announce([prizeOf(this.game, shown)].flat().map((part) => part.textContent ?? part).join(""));
    if (this.isComplete) this.complete(play);
    else this.element.querySelector("button:enabled")?.focus();
  }

  #draw() { this.element.replaceChildren(this.#mechanic.draw(this.game, this.play, (name) => this.act(name))); }
}
