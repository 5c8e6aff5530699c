// Draw the mechanics of probabilistic games, one entry for each kind in promotrot/engine/mechanics.
// In an entry, `picture` names the game's picture in signs.svg, `prizes` returns the rows of its prize table, `draw` returns the play with its buttons, and
// `tells` is true if each act announces a prize.

import { h } from "../../screens/base/dom.js";
import { t } from "../../screens/base/text.js";
import { chanceOf, labelOf, largestOf, prizeOf, sign } from "./values.js";

/** Draw the stalls; behind some doors there are prizes. */
function doors(game, play, act) {
  const places = game.screen.mechanic.deals[0].contents.length;
  const opened = new Map(play.acts.filter((each) => each.act.startsWith("open-")).map((each) => [each.act, each.shown]));
  const newest = play.acts.at(-1)?.act;
  const stalls = Array.from({ length: places }, (_, index) => {
    const name = `open-${index + 1}`;
    const isOpen = opened.has(name);
    const prize = isOpen ? prizeOf(game, opened.get(name)) : null;
    return h("button", { type: "button", class: ["door", isOpen && "open", name === newest && "now"], disabled: !play.legal.includes(name), onclick: () => act(name),
      "aria-label": isOpen ? null : t("stall", { open: labelOf(game, "open"), number: index + 1 }) },
    sign(isOpen ? "stall-open" : "stall"), h("span", { class: "inside" }, isOpen ? prize : String(index + 1)));
  });
  const keep = play.legal.includes("keep") ? h("button", { type: "button", class: "button primary big", onclick: () => act("keep") }, labelOf(game, "keep")) : null;
  return h("div", { class: "stack" }, h("div", { class: "doors" }, stalls), h("div", { class: "row centre acts" }, keep));
}

/** Draw the ladder and the acts: climb or stop. */
function climb(game, play, act) {
  const { rungs } = game.screen.mechanic;
  const steps = play.acts.filter((each) => each.act !== "stop");
  const fell = steps.at(-1)?.shown === -1;
  const at = steps.filter((each) => each.shown >= 0).at(-1)?.shown ?? 0;
  const rows = rungs.map((rung, index) => h("li", { class: ["rung", index === at && "here", index === at && fell && "fell"], "aria-current": index === at ? "step" : null },
    h("span", { class: "figure" }, String(index)), h("span", {}, index === at ? sign("trotter", fell ? t("fallen") : t("you_are_here")) : null),
    h("span", {}, rung.stop ? prizeOf(game, rung.stop) : "")));
  const ways = new Map(rungs[at].ways.map((way) => [way.name, way]));
  const buttons = play.legal.map((name) => {
    const way = ways.get(name);
    const chance = way ? [h("span", { class: "small" }, t("chance", { percent: chanceOf(way.up, way.of) })),
      way.fall ? h("span", { class: "small" }, t("or_else"), " ", prizeOf(game, way.fall)) : null] : h("span", { class: "small" }, prizeOf(game, rungs[at].stop));
    return h("button", { type: "button", class: ["button big act", name === "stop" ? "" : "primary"], onclick: () => act(name) }, h("b", {}, labelOf(game, name)), chance);
  });
  return h("div", { class: "climb" }, h("ol", { class: "ladder", reversed: true }, rows.reverse()), h("div", { class: "stack acts" }, buttons));
}

export const mechanics = {
  hidden: {
    picture: "stall",
    tells: true,
    draw: doors,
    prizes: (game, { deals }) => deals.map((deal) => [
      t("chance_of_main", { weight: deal.weight, of: deals.reduce((sum, each) => sum + each.weight, 0) }), largestOf(game.screen.tiers.filter(({ tier }) => deal.contents.includes(tier)))]),
  },
  ladder: {
    picture: "trotter",
    tells: false,
    draw: climb,
    prizes: (game, { rungs }) => rungs.map((rung, index) => [t("rung", { number: index }), rung.stop]).filter(([, tier]) => tier).reverse(),
  },
};
