// Lototrot's part of the player's screen: the jackpot and the time left while nobody is served, and the bet
// by its horses, in the language of that screen.

import { amount, cloth, h } from "../../screens/base/dom.js";
import { cents, date, left, raceOfTicket } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

const OPEN = new Set(["open", "stopped"]);

/** Return the idle screen: what closes next. */
export function section() {
  const root = h("div", { class: "idle-pot" });
  const clock = h("b", { class: "figure" });
  let closes = null;
  return {
    root,
    show: (document, feed) => {
      const closing = ({ contest }) => feed.contests[contest]?.closes_at ?? "";
      const [next] = document.contests.filter(({ state }) => OPEN.has(state)).sort((a, b) => (closing(a) < closing(b) ? -1 : 1));
      closes = next ? Date.parse(closing(next)) : null;
      if (!next) return root.replaceChildren(h("p", { class: "large" }, t("nothing_on_sale")));
      const jackpot = document.chains[next.bet_type].jackpot_cents + next.lapsed_cents;
      return root.replaceChildren(h("p", { class: "soft" }, `${next.meeting} · ${date(next.day)}`),
        jackpot ? h("p", {}, t("jackpot"), h("br"), amount(cents(jackpot), "pot")) : h("p", { class: "large" }, next.name),
        h("p", {}, t("closes_in"), " ", clock), h("p", { class: "soft" }, t("price_of_bet"), " ", amount(cents(next.price_cents))));
    },
    beat: () => {},
    tick: (at) => { if (closes) clock.textContent = left(closes - at); },
  };
}

/** Return the bets of a payment, `{bets: [{bets, amount_cents, races: [{position, racecourse, race, drawn, horses: [[number, name]]}]}]}`. */
export function drawn({ bets }) {
  const total = bets.reduce((sum, bet) => sum + bet.amount_cents, 0);
  const leg = (race) => h("tr", {}, h("th", { scope: "row" }, raceOfTicket(race)),
    h("td", {}, race.drawn ? "✶ " : "", race.horses.map(([number, name]) => h("span", { class: "mark" }, cloth(number), ` ${name} `))));
  return h("section", { class: "state info" }, h("h1", {}, t("your_bet")),
    h("div", { class: "coupons-shown" }, bets.map((bet) => h("table", { class: "table" }, h("tbody", {}, bet.races.map(leg))))),
    h("p", {}, bets.length > 1 ? t("coupons", { n: bets.length }) : t("bets", { n: bets[0].bets })),
    h("p", { class: "large amount" }, cents(total)), h("p", {}, t("confirm_before_paying")));
}
