// Draw a pre-drawn ticket: covered cells that the player uncovers. Their content was fixed before
// the sale; the order of the touches decides nothing.

import { announce, h } from "../../screens/base/dom.js";
import { t } from "../../screens/base/text.js";
import { sound } from "./sound.js";
import { labelOf, sign } from "./values.js";

const EACH_MS = 70;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Return the content of each cell, in order. */
function faces(game, picture) {
  const { presentation } = game.screen;
  if (presentation.kind === "numbers") {
    return [...picture.winners, ...picture.yours].map((number) => ({ key: number, label: String(number), draw: () => h("b", { class: "figure" }, String(number)) }));
  }
  if (presentation.kind === "letters") return picture.cells.map((letter) => ({ key: letter, label: letter, draw: () => h("b", { class: "letter" }, letter) }));
  return picture.cells.map((name) => ({ key: name, label: labelOf(game, name), draw: () => [sign(name), h("span", { class: "small" }, labelOf(game, name))] }));
}

/** Return the tier whose picture a tier shows: an extra prize looks like its equal in the table. */
function picturedAs(tiers, number) {
  const { extra, value_cents, thing } = tiers.find(({ tier }) => tier === number);
  return extra ? tiers.find((other) => !other.extra && other.value_cents === value_cents && other.thing === thing).tier : number;
}

/** Return the indexes of the cells that make the prize. */
function winningCells(game, picture, won) {
  if (!won) return new Set();
  const tier = picturedAs(game.screen.tiers, won);
  const { presentation } = game.screen;
  if (presentation.kind === "numbers") {
    const common = new Set(picture.winners.filter((number) => picture.yours.includes(number)));
    return new Set([...picture.winners, ...picture.yours].flatMap((number, index) => (common.has(number) ? [index] : [])));
  }
  if (presentation.kind === "symbols") return new Set(picture.cells.flatMap((name, index) => (name === presentation.winning[tier - 1] ? [index] : [])));
  const cells = new Set();
  for (const letter of presentation.words[tier - 1] ?? "") {
    cells.add(picture.cells.findIndex((cell, index) => cell === letter && !cells.has(index)));
  }
  return cells;
}

export class Drawn {
  /** Take hooks: `reveal()` resolves with the ended play; `uncovered(index)` stores a touch. */
  constructor(game, play, { reveal, uncovered, complete, already }) {
    Object.assign(this, { game, play, reveal, uncovered, complete });
    const { presentation } = game.screen;
    this.size = presentation.kind === "numbers" ? presentation.winners + presentation.yours : presentation.columns * presentation.rows;
    this.open = new Set(already);
    this.cells = Array.from({ length: this.size }, (_, index) => h("button", {
      type: "button", class: "cell covered", "aria-label": t("cell", { number: index + 1 }), onclick: () => this.touch(index),
    }, h("span", { class: "cover", "aria-hidden": "true" })));
    this.element = this.#lay(presentation);
    this.element.addEventListener("pointermove", (event) => this.#rub(event));
    if (play.ending) for (const index of this.open) this.#show(index);
  }

  get isComplete() { return this.open.size === this.size; }

  async touch(index) {
    if (this.open.has(index)) return;
    this.open.add(index);
    this.uncovered(index);
    if (!this.play.ending) {
      this.cells[index].classList.add("asked");
      this.asking ??= this.reveal();   // once, however many squares are touched meanwhile
      const play = await this.asking;
      if (!play) { this.asking = null; this.open.delete(index); return; }
      this.play = play;
    }
    this.#show(index);
    sound("uncover");
    if (this.isComplete && !this.finished) this.#finish();
  }

  /** Uncover the squares over which a finger, or the pressed mouse, is drawn. */
  #rub({ buttons, clientX, clientY }) {
    if (!buttons) return;
    const index = this.cells.indexOf(document.elementFromPoint(clientX, clientY)?.closest(".cell"));
    if (index >= 0) this.touch(index);
  }

  /** Uncover what is left, one square after the other; at once for who asks for less motion. */
  async touchAll() {
    for (let index = 0; index < this.size; index++) {
      const isNext = !this.open.has(index);
      await this.touch(index);
      if (isNext && !still.matches) await new Promise((done) => setTimeout(done, EACH_MS));
    }
  }

  /** Show the result again after a reload, if all cells are uncovered. */
  restore() { if (this.isComplete && this.play.ending) this.#finish(); }

  #lay(presentation) {
    if (presentation.kind !== "numbers") {
      const grid = h("div", { class: ["cells", presentation.kind] }, this.cells);
      grid.style.setProperty("--columns", presentation.columns);
      return grid;
    }
    const part = (title, cells) => [h("h2", {}, title), h("div", { class: "cells numbers" }, cells)];
    return h("div", { class: "stack tight" }, part(t("winners_numbers"), this.cells.slice(0, presentation.winners)), part(t("your_numbers"), this.cells.slice(presentation.winners)));
  }

  #show(index) {
    const face = faces(this.game, this.play.ending.picture)[index];
    const cell = this.cells[index];
    cell.classList.remove("covered", "asked");
    cell.setAttribute("aria-label", face.label);
    cell.replaceChildren(...[face.draw()].flat());
    announce(face.label);
  }

  #finish() {
    this.finished = true;
    const { ending } = this.play;
    for (const index of winningCells(this.game, ending.picture, ending.tier)) this.cells[index].classList.add("wins");
    this.complete(this.play);
  }
}
