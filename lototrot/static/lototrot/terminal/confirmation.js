// Show the bet to the player, who confirms it before paying (14.III.1.2). One tap sells.

import { amount, h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { cents } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

function row(race, marks) {
  const names = new Map(race.runners.map((runner) => [runner.number, runner.name]));
  const numbers = marks instanceof Set
    ? [...marks].sort((a, b) => a - b).map((number) => h("span", { class: "mark" }, h("b", { class: "number" }, String(number)), marks.size === 1 ? ` ${names.get(number)}` : ""))
    : h("span", { class: "mark" }, h("b", { class: "number" }, "✶"), ` ${t("at_random", { n: marks })}`);
  return h("tr", {}, h("th", { scope: "row", class: "figure" }, String(race.position)), h("td", { class: "soft small" }, `${race.racecourse} ${race.race}`), h("td", { class: "marks" }, h("div", {}, numbers)));
}

/** Return the content of the player's screen. */
function forPlayer(bet) {
  return {
    kind: "bet", tone: "info", title: t("your_bet"), large: cents(bet.amountCents),
    rows: bet.marks.map((marks, race) => [t("race_numbered", { race: race + 1 }), marks instanceof Set ? [...marks].sort((a, b) => a - b).join("  ") : t("at_random", { n: marks })]),
    note: `${t("bets", { n: bet.bets })} × ${cents(bet.contest.price_cents)}. ${t("confirm_before_paying")}`,
  };
}

export function confirmation(till, bet, sell) {
  till.player.show(forPlayer(bet));
  const yes = h("button", { class: "button primary big", type: "submit", autofocus: true }, t("sell_for"), " ", amount(cents(bet.amountCents)));
  const shown = dialog(t("your_bet"), h("form", { class: "stack", method: "dialog", onsubmit: sell },
    h("table", { class: "table" }, h("caption", { class: "heard" }, t("your_bet")), h("tbody", {}, bet.contest.races.map((race, index) => row(race, bet.marks[index])))),
    h("p", { class: "row ends" }, h("span", {}, `${t("bets", { n: bet.bets })} × ${cents(bet.contest.price_cents)}`), amount(cents(bet.amountCents), "large")),
    h("p", { class: "notice" }, t("confirm_before_paying")),
    h("div", { class: "row ends" }, h("button", { class: "button big", type: "button", onclick: () => shown.close() }, t("change_bet")), yes)),
  { className: "confirmation", onclose: () => till.player.clear() });
}
