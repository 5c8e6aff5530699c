// Draw the bets still alive after each leg, and what each would win without another wrong leg.

import { h } from "../../screens/base/dom.js";
import { cents, count } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

export function standing(facts) {
  const top = facts.categories[0];
  const last = facts.standings.at(-1);
  const over = last.known === facts.legs.length;
  return h("section", { class: "card stack alive" },
    h("div", { class: "row ends" },
      h("h4", {}, over ? t("board_right") : t("board_alive")),
      h("p", { class: "large figure" }, over ? t("winning_bets", { n: last.bets[top], category: `${top}/${top}` }) : t("alive", { n: last.bets[top] }))),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("board_alive") },
      h("table", { class: "table" },
        h("caption", { class: "heard" }, t("board_alive")),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("board_after_race")),
          ...facts.categories.map((category) => h("th", { scope: "col", class: "n" }, `${category}/${top}`)))),
        h("tbody", {}, facts.standings.map((each) => h("tr", {},
          h("th", { scope: "row" }, h("span", { class: "number" }, String(each.position))),
          ...facts.categories.map((category) => h("td", { class: "n" },
            h("span", { class: "amount" }, count(each.bets[category])),
            each.prizes[category] === undefined ? null : h("span", { class: "small soft would" }, cents(each.prizes[category]))))))))),
    over ? null : h("p", { class: "small soft" }, t("board_alive_why")));
}
