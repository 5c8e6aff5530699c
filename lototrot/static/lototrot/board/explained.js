// Explain the settlement step by step. Every figure comes from the stored settlement.

import { h } from "../../screens/base/dom.js";
import { cents, count, date, decimal } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

export function explained(facts) {
  const { settlement, categories } = facts;
  const { figures, rules } = settlement;
  const top = categories[0];
  const name = (category) => `${category}/${top}`;
  const steps = [
    pool(figures, facts), shares(figures, rules, categories, name), right(figures, categories, name),
    ...cascade(figures, categories, name), carried(figures, name(top)), ...corrected(figures, categories, name),
    prizes(figures, categories, name), onward(figures),
  ].filter(Boolean);
  return h("details", { class: "card no-wall explained", "data-key": `explained-${facts.contest}` },
    h("summary", {}, t("explained")),
    h("div", { class: "stack" },
      settlement.first_pay_day
        ? h("p", { class: "notice good" }, t("paid_between", { first: date(settlement.first_pay_day), last: date(settlement.last_claim_day) }))
        : h("p", { class: "notice" }, t("order_awaited")),
      h("ol", { class: "steps" }, steps.map((step) => h("li", {}, h("div", { class: "stack tight" }, step))))));
}

const sentence = (text) => h("p", {}, text);

function table(names, rows) {
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": names[0] }, h("table", { class: "table" },
    h("thead", {}, h("tr", {}, names.map((each, i) => h("th", { scope: "col", class: i ? "n" : "" }, each)))),
    h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", { class: "n" }, cell)))))));
}

function pool(figures, facts) {
  return [sentence(t("step_pool", {
    takings: cents(figures.takings), percent: decimal(facts.prize_percent), pool: cents(figures.prize_pool), rest: cents(figures.organiser_share),
  }))];
}

function shares(figures, rules, categories, name) {
  const percents = figures.regime === "9.3" ? rules.shares_above : rules.shares_below;
  const values = { tested: cents(figures.tested_jackpot), threshold: cents(rules.jackpot_threshold_cents), article: figures.regime };
  const rows = categories.map((category) => [name(category), `${decimal(percents[category])} %`, cents(figures.shares[category])]);
  if (figures.shares.reserve) rows.push([t("board_reserve"), `${decimal(percents.reserve)} %`, cents(figures.shares.reserve)]);
  return [sentence(figures.regime === "9.3" ? t("step_above", values) : t("step_below", values)),
    table([t("category"), t("share"), t("amount")], rows)];
}

function right(figures, categories, name) {
  return [sentence(t("step_right")), table([t("category"), t("board_bets")], categories.map((each) => [name(each), count(figures.winners[each])]))];
}

function cascade(figures, categories, name) {
  const sentences = [];
  let falling = 0;
  categories.forEach((category, place) => {
    if (place === 0) return;
    const amount = figures.shares[category] + falling;
    falling = figures.winners[category] ? 0 : amount;
    if (!falling) return;
    const below = categories[place + 1];
    sentences.push(sentence(below === undefined
      ? t("step_falls_reserve", { category: name(category), amount: cents(amount) })
      : t("step_falls", { category: name(category), below: name(below), amount: cents(amount) })));
  });
  return sentences.length ? [sentences] : [];
}

function carried(figures, top) {
  const facts = [[t("own_share"), figures.after_cascade[Object.keys(figures.winners).map(Number).sort((a, b) => b - a)[0]]],
    [t("board_jackpot"), figures.jackpot_in], [t("unclaimed"), figures.lapsed_in], [t("board_reserve"), figures.reserve_paid_out]];
  return [sentence(t("step_carried", { category: top })),
    table([t("where_from"), t("amount")], facts.filter(([, cents_]) => cents_).map(([label, value]) => [label, cents(value)]))];
}

/** Return an exact amount, which may be "n/d", rounded down to the cent as prizes are. */
function floored(exact) {
  const [whole, parts = 1] = String(exact).split("/").map(Number);
  return cents(Math.floor(whole / parts));
}

function corrected(figures, categories, name) {
  const { halved, joined } = figures.correction;
  const sentences = [
    ...halved.map(([above, below]) => sentence(t("step_halved", { above: name(above), below: name(below) }))),
    ...joined.map((group) => sentence(t("step_joined", { categories: group.map(name).join(", ") }))),
  ];
  const won = categories.filter((each) => figures.winners[each]);
  return sentences.length ? [[...sentences, table([t("category"), t("amount")], won.map((each) => [name(each), floored(figures.after_correction[each])]))]] : [];
}

function prizes(figures, categories, name) {
  const rows = categories.filter((each) => figures.prize_each[each] !== undefined).map((each) => [
    name(each), count(figures.winners[each]), cents(figures.prize_each[each]), cents(figures.prize_each[each] * figures.winners[each]),
  ]);
  const rounding = figures.rounding_remainder ? sentence(t("step_rounding", { amount: cents(figures.rounding_remainder) })) : null;
  if (!rows.length) return [sentence(t("step_no_prizes"))];
  return [sentence(t("step_prizes")), table([t("category"), t("board_bets"), t("prize_of_bet"), t("in_all")], rows), rounding];
}

function onward(figures) {
  return [sentence(t("step_onward", { jackpot: cents(figures.jackpot_out), reserve: cents(figures.reserve_out) }))];
}
