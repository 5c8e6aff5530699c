// Draw Lototrot's section of the board: the contests, newest first, from the published document.

import { announce, cloth, drawer, h } from "../../screens/base/dom.js";
import { cents, count, date, decimal, left, raceOfTicket } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { lines } from "../../screens/board/chart.js";
import { now } from "../../screens/board/time.js";
import { explained } from "./explained.js";
import { card, raceId } from "./race.js";
import { sharesOf } from "./shares.js";
import { standing } from "./standing.js";
import { scenesOf } from "./wall.js";

const TONES = { open: "good", stopped: "bad", closed: "warn", settled: "info", ordered: "info" };

function stateOf(state) {
  switch (state) {
    case "open": return t("state_open");
    case "stopped": return t("state_stopped");
    case "closed": return t("state_closed");
    case "settled": return t("state_settled");
    default: return t("state_ordered");
  }
}

/** Return the section's root and its functions for the document, the pulse and each second. */
export function section() {
  const root = h("div", { class: "stack" });
  const draw = drawer(root);
  let contests = [];
  let chains = {};
  let pulse = { contests: {} };
  let lastNews = "";

  function show(document, feed) {
    const unfolded = new Map([...root.querySelectorAll("details")].map((each) => [each.dataset.key, each.open]));
    chains = document.chains;
    contests = draw([
      ["heading", () => h("div", { class: "row ends" }, h("h2", {}, t("lototrot")), h("a", { class: "button quiet no-wall", href: "/meetings" }, t("board_meetings")))],
      ...document.contests.map((contest, place) => [contest, chains[contest.bet_type], place === 0]).map((facts) => [facts, () => new Contest(...facts)]),
      ...(document.contests.length ? [] : [["none", () => h("p", { class: "empty" }, t("board_no_contest"))]]),
      ...Object.entries(chains).filter(([, chain]) => chain.history.length > 1).map(([code, chain]) => [code, chain, lapsedFor(document.contests, code)])
        .map((facts) => [facts, () => history(...facts.slice(1))]),
    ]).filter((drawn) => drawn instanceof Contest);
    for (const each of root.querySelectorAll("details")) each.open = unfolded.get(each.dataset.key) ?? each.open;
    const news = contests.map((each) => each.news()).join(" ");
    if (lastNews && news !== lastNews) announce(news);
    lastNews = news;
  }

  return {
    root, show,
    beat: (feed) => {
      pulse = feed;
      contests.forEach((each) => each.beat(feed.contests[each.facts.contest]));
    },
    scenes: (at) => scenesOf(contests.map((each) => each.facts), chains, pulse, at),
    tick: (at) => contests.forEach((each) => each.tick(at)),
  };
}

class Contest {
  constructor(facts, chain, first) {
    this.facts = facts;
    this.takings = h("dd", { class: "figure" });
    this.bets = h("dd", { class: "figure" });
    this.closing = h("dd", { class: "figure" });
    this.closingName = h("dt", {});
    this.badge = h("span", {});
    const hasStandings = facts.standings.length > 0;
    this.cards = facts.legs.map((leg) => ({ leg, ...card(facts.contest, leg) }));
    this.sharesText = "";
    const address = `/meetings/${facts.day}/${facts.bet_type}`;
    const body = [
      this.tiles(chain),
      hasStandings ? standing(facts) : null,
      jump(facts),
      h("div", { class: "races" }, this.cards.map((each) => each.root)),
      facts.settlement ? explained(facts) : null,
      proofs(facts),
      facts.settlement && location.pathname !== address ? h("p", { class: "no-wall" }, h("a", { href: address }, t("board_address"))) : null,
      h("details", { "data-key": `rules-${facts.contest}`, class: "card no-wall" },
        h("summary", {}, t("rules")), h("p", { class: "prose" }, facts.rules[document.documentElement.lang] ?? facts.rules.ca)),
    ];
    const heading = h("div", { class: "row ends" },
      h("h3", { class: "meeting" }, `${facts.name} · ${facts.meeting} · `, h("time", { datetime: facts.day }, date(facts.day))),
      this.badge);
    this.tell();
    this.tellShares();
    this.root = first
      ? h("article", { class: "stack contest" }, heading, body)
      : h("details", { class: "card contest no-wall", "data-key": `contest-${facts.contest}` },
        h("summary", {}, `${facts.name} · ${facts.meeting} · ${date(facts.day)}`), h("div", { class: "stack" }, heading, body));
  }

  tiles(chain) {
    const { facts } = this;
    const carried = facts.settlement ? facts.settlement.figures.jackpot_in : chain.jackpot_cents;
    const reserve = facts.settlement ? facts.settlement.figures.reserve_in : chain.reserve_cents;
    const lapsed = facts.settlement ? facts.settlement.figures.lapsed_in : facts.lapsed_cents;
    const tile = (name, value) => h("dl", { class: "tile" }, h("dt", {}, name), value);
    const figure = (text) => h("dd", { class: "figure" }, text);
    return h("div", { class: "tiles" },
      h("dl", { class: "tile lead pot-tile" }, h("dt", {}, t("board_jackpot")), h("dd", { class: "figure pot" }, cents(carried + lapsed))),
      h("dl", { class: "tile lead" }, this.closingName, this.closing),
      tile(t("board_takings"), this.takings),
      tile(t("board_bets"), this.bets),
      tile(t("board_reserve"), figure(cents(reserve))),
      tile(t("board_to_prizes"), figure(`${decimal(facts.prize_percent)} %`)),
      tile(t("price_of_bet"), figure(cents(facts.price_cents))));
  }

  /** Return the state by the newest pulse: a stop of sales shows before the document is made. */
  get state() { return this.pulse?.state ?? this.facts.state; }

  tell() {
    this.badge.className = `badge ${TONES[this.state]}`;
    this.badge.textContent = stateOf(this.state);
  }

  /** Show the shares of the bets where they have changed. */
  tellShares() {
    const shares = this.cards.map(({ leg }) => sharesOf(this.facts, this.pulse, leg));
    const text = JSON.stringify(shares);
    if (text === this.sharesText) return;
    this.sharesText = text;
    this.cards.forEach((each, place) => each.showShares(shares[place]));
  }

  beat(pulse) {
    if (!pulse) return;
    this.pulse = pulse;
    this.tell();
    this.takings.textContent = cents(pulse.takings_cents);
    this.bets.textContent = count(pulse.bets);
    this.tellShares();
    this.tick(now());
  }

  tick(at) {
    const closes = Date.parse(this.pulse?.closes_at ?? 0);
    const open = this.state === "open" && at < closes;
    const stopped = this.state === "stopped" && at < closes;
    this.closingName.textContent = open ? t("closes_in") : t("closing");
    this.closing.textContent = open ? left(closes - at) : stopped ? t("stopped") : t("closed");
  }

  /** Return the text that is announced to screen readers when it changes. */
  news() {
    const { facts } = this;
    const decided = facts.legs.filter((leg) => leg.winners.length);
    return [stateOf(this.state), ...decided.map((leg) => t("board_race_won", { race: leg.position, numbers: leg.winners.join(", ") }))].join(". ");
  }
}

/** Return links to the races, with the winners of those that are decided. */
function jump(facts) {
  return h("nav", { class: "jump no-wall", "aria-label": t("races") }, facts.legs.map((leg) => h("a", { href: `#${raceId(facts.contest, leg)}`, class: leg.winners.length ? "won" : "" },
    h("span", { class: "heard" }, raceOfTicket(leg)), h("span", { "aria-hidden": "true" }, String(leg.position)), leg.winners.map((number) => cloth(number)))));
}

/** Return links to the entries of the public log that prove this contest. */
function proofs({ proofs: entries, contest }) {
  const rows = [
    entries.seal && [t("board_seal"), `/api/v1/log/${entries.seal}`],
    entries.certificate && [t("board_certificate"), `/api/v1/log/${entries.certificate}`],
    entries.certificate && [`${t("board_certificate")} (PDF)`, `/api/v1/lototrot/contests/${contest}/certificate.pdf`],
  ].filter(Boolean);
  return rows.length ? h("ul", { class: "row no-wall" }, rows.map(([name, href]) => h("li", {}, h("a", { href }, name)))) : null;
}

/** Return what lapsed for the next contest of a chain (14.III.10.7), which the pot above it counts. */
const lapsedFor = (contests, code) => contests.find((each) => each.bet_type === code && !each.settlement)?.lapsed_cents ?? 0;

function history(chain, lapsed) {
  // The last point is what there is now, so that the chart agrees with the figures above it.
  const labels = [...chain.history.map((each) => date(each.day)), t("board_now")];
  const series = [
    { name: t("board_jackpot"), values: [...chain.history.map((each) => each.jackpot_cents), chain.jackpot_cents + lapsed] },
    { name: t("board_reserve"), values: [...chain.history.map((each) => each.reserve_cents), chain.reserve_cents] },
  ];
  for (const each of series) each.amounts = each.values.map(cents);
  return h("figure", { class: "card stack no-wall" },
    h("h3", {}, t("board_history")),
    lines(t("board_history"), labels, series, (value) => cents(value).replace(/[.,]00(?=\D*$)/, "")),
    h("ul", { class: "legend" }, series.map((each) => h("li", {}, each.name, " ", h("b", { class: "figure" }, each.amounts.at(-1))))),
    h("details", { "data-key": "history" }, h("summary", {}, t("board_as_table")), h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("board_history") },
      h("table", { class: "table" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("board_meeting")), ...series.map((each) => h("th", { scope: "col", class: "n" }, each.name)), h("th", { scope: "col" }, t("board_top_won")))),
        h("tbody", {}, chain.history.map((each, i) => h("tr", {}, h("th", { scope: "row" }, labels[i]), ...series.map((one) => h("td", { class: "n" }, one.amounts[i])), h("td", {}, each.won ? t("board_yes") : t("board_no")))))))));
}
