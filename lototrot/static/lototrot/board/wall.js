// Draw Lototrot's scenes of the wall: before a contest closes, during its races, and afterwards.

import { cloth, h } from "../../screens/base/dom.js";
import { cents, count, date, hourOfDay, raceAt } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { arrived } from "./arrived.js";
import { raceId } from "./race.js";
import { mostMarked, percent, shareBar, sharesOf } from "./shares.js";

const LAST_MS = 5 * 60_000;   // before the closing nothing else is shown
const phone = JSON.parse(document.getElementById("config").textContent).phone;

/** Return the scenes: those under way, those to close by their closing, the newest result. */
export function scenesOf(contests, chains, feed, at) {
  const of = (contest) => feed.contests[contest.contest] ?? {};
  const state = (contest) => of(contest).state ?? contest.state;
  const closes = (contest) => Date.parse(of(contest).closes_at);
  const open = contests.filter((each) => ["open", "stopped"].includes(state(each)))
    .sort((a, b) => closes(a) - closes(b)).slice(0, 2);
  const during = contests.filter((each) => state(each) === "closed" && !each.settlement);
  const after = contests.filter((each) => each.settlement).slice(0, 1);
  const scene = (kind, seconds, draw) => (contest) => ({
    key: `${kind}-${contest.contest}`, seconds,
    pinned: kind === "before" && closes(contest) > at && closes(contest) - at < LAST_MS,
    draw: () => draw(contest, chains[contest.bet_type], of(contest), at),
  });
  return [...during.map(scene("during", 25, drawDuring)), ...open.map(scene("before", 20, drawBefore)), ...after.map(scene("after", 15, drawAfter))];
}

function heading(facts, badge) {
  return h("header", { class: "wall-head" },
    h("h2", {}, facts.name, " · ", facts.meeting), h("time", { datetime: facts.day }, date(facts.day)), badge);
}

/** Return a figure in large letters; a long one in smaller ones, so that it always fits. */
function big(name, value, kind = "") {
  const figure = h("dd", { class: "figure" }, value);
  figure.style.setProperty("--letters", typeof value === "string" ? value.length : 7);
  return h("dl", { class: ["wall-big", kind] }, h("dt", {}, name), figure);
}

const jackpot = (facts, chain) => (facts.settlement ? facts.settlement.figures.jackpot_in + facts.settlement.figures.lapsed_in : chain.jackpot_cents + facts.lapsed_cents);
const decided = (leg) => leg.winners.length > 0;

function drawBefore(facts, chain, pulse, at) {
  const closes = Date.parse(pulse.closes_at);
  const stopped = pulse.state === "stopped";
  const closing = at >= closes ? big(t("closing"), t("closed"))
    : stopped ? big(t("closing"), t("stopped"), "bad")
      : big(t("closes_in"), h("time", { "data-until": closes, datetime: pulse.closes_at }), closes - at < LAST_MS ? "bad" : "");
  const next = facts.legs.find((leg) => !decided(leg) && leg.state === "scheduled");
  return h("article", { class: "scene before" },
    heading(facts, stopped ? h("span", { class: "badge bad" }, t("state_stopped")) : h("span", { class: "badge good" }, t("wall_closes_at", { time: hourOfDay(closes) }))),
    h("div", { class: "wall-lead" }, big(t("board_jackpot"), cents(jackpot(facts, chain)), "pot-of"), closing,
      big(t("board_takings"), cents(pulse.takings_cents ?? 0))),
    h("div", { class: "wall-body" },
      next ? raceCard(next, sharesOf(facts, pulse, next)) : null,
      h("div", { class: "wall-side" },
        h("ol", { class: "wall-legs" }, facts.legs.map((leg) => legLine(leg, sharesOf(facts, pulse, leg)))),
        h("div", { class: "wall-phone" }, h("img", { src: phone, alt: "" }), h("div", {}, h("p", {}, t("wall_phone")), h("p", { class: "small soft" }, `${t("price_of_bet")}: ${cents(facts.price_cents)}`))))));
}

/** Return the card of a race; a `low` one has two columns, and no drivers beside many runners. */
function raceCard(leg, shares, low = false) {
  const many = leg.runners.length > 9;
  const most = mostMarked(leg, shares);
  const runners = h("ol", { class: "wall-runners" }, leg.runners.map((runner) => runnerLine(runner, shares[runner.number], runner === most)));
  runners.style.setProperty("--rows", low || many ? Math.ceil(leg.runners.length / 2) : leg.runners.length);
  return h("section", { class: ["wall-card", (low || many) && "two", low && leg.runners.length > 8 && "names-only"], "aria-label": `${leg.position} · ${raceAt(leg)}` },
    h("h3", {}, h("span", { class: "soft" }, t("wall_next")), ` ${leg.position} · ${raceAt(leg)}`,
      h("span", { class: "soft" }, [hourOfDay(leg.start_at), leg.distance_m && `${leg.distance_m} m`].filter(Boolean).map((fact) => ` · ${fact}`).join(""))),
    runners);
}

function runnerLine(runner, share, most) {
  const passes = runner.withdrawn && runner.trace.length > 1
    ? h("span", { class: "small" }, h("span", { class: "bad" }, t("withdrawn")), h("span", { "aria-hidden": "true" }, " → "), h("span", { class: "heard" }, t("board_bets_on", { number: runner.trace.at(-1) })), cloth(runner.trace.at(-1))) : null;
  const driver = runner.driver ? h("span", { class: "small soft" }, runner.driver) : null;
  return h("li", {}, cloth(runner.number),
    h("span", { class: "who" }, h("span", { class: runner.withdrawn ? "withdrawn" : "name" }, runner.name), passes ?? driver),
    !runner.withdrawn && share ? shareBar(share, most) : h("span", {}));
}

function legLine(leg, shares) {
  const most = mostMarked(leg, shares);
  const out = leg.runners.filter((runner) => runner.withdrawn).map((runner) => runner.number);
  return h("li", {}, h("b", { class: "number" }, String(leg.position)),
    h("span", { class: "who" }, h("span", { class: "name" }, raceAt(leg)),
      h("span", { class: "small soft" }, hourOfDay(leg.start_at), out.length ? h("span", { class: "bad" }, ` · ${t("wall_withdrawn", { numbers: out.join(", ") })}`) : null)),
    most ? h("span", { class: "favourite" }, h("span", { class: "heard" }, t("most_marked")), cloth(most.number), h("span", { class: "name" }, most.name), h("span", { class: "figure soft" }, percent(shares[most.number]))) : h("span", {}));
}

function drawDuring(facts, chain, pulse) {
  const top = facts.categories[0];
  const standing = facts.standings.at(-1);
  const next = facts.legs.find((leg) => !decided(leg));
  const would = standing?.prizes[top];
  return h("article", { class: "scene during" },
    heading(facts, h("span", { class: "badge info" }, t("state_closed"))),
    h("div", { class: "wall-lead" },
      big(t("board_jackpot"), cents(jackpot(facts, chain)), "pot-of"),
      standing ? big(standing.known === facts.legs.length ? t("board_right") : t("board_alive"), count(standing.bets[top])) : big(t("board_takings"), cents(pulse.takings_cents ?? 0)),
      would ? big(t("wall_would_pay", { category: `${top}/${top}` }), cents(would)) : big(t("board_bets"), count(pulse.bets ?? 0))),
    tiles(facts),
    h("div", { class: "wall-body" },
      next ? raceCard(next, sharesOf(facts, pulse, next), true) : h("p", { class: "wall-note" }, t("wall_all_run")),
      standing ? h("div", { class: "wall-side" }, categoryTable(facts, standing.bets, standing.prizes, t("board_bets"), t("wall_each"))) : null));
}

function tiles(facts) {
  return h("ol", { class: "wall-tiles" }, facts.legs.map((leg) => {
    const names = leg.runners.filter((runner) => leg.winners.includes(runner.number)).map((runner) => h("span", {}, runner.name));
    return h("li", { class: ["wall-tile", decided(leg) && "won", arrived(raceId(facts.contest, leg), decided(leg)) && "arrived"] },
      h("p", { class: "small" }, h("b", {}, `${leg.position} · `), raceAt(leg)),
      decided(leg)
        ? [h("p", { class: "winners" }, leg.winners.map((number) => cloth(number))), h("p", { class: "name" }, names)]
        : [h("p", { class: "winners soft" }, hourOfDay(leg.start_at)), h("p", { class: "name soft" }, waiting(leg))]);
  }));
}

function waiting(leg) {
  if (leg.state === "declared") return t("board_draw_by", { time: hourOfDay(leg.draw_due_at) });
  return leg.state === "started" ? t("race_started") : t("race_scheduled");
}

function categoryTable(facts, bets, prizes, betsName, eachName) {
  const top = facts.categories[0];
  return h("table", { class: "wall-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "heard" }, t("category"))), h("th", { scope: "col", class: "n" }, betsName), h("th", { scope: "col", class: "n" }, eachName))),
    h("tbody", {}, facts.categories.map((category) => h("tr", {}, h("th", { scope: "row" }, `${category}/${top}`),
      h("td", { class: "n" }, count(bets[category] ?? 0)), h("td", { class: "n" }, prizes[category] === undefined ? "—" : cents(prizes[category]))))));
}

function drawAfter(facts) {
  const { figures, first_pay_day: first, last_claim_day: last } = facts.settlement;
  return h("article", { class: "scene after" },
    heading(facts, h("span", { class: "badge info" }, first ? t("state_ordered") : t("state_settled"))),
    tiles(facts),
    h("div", { class: "wall-body" },
      categoryTable(facts, figures.winners, figures.prize_each, t("board_right"), t("prize_of_bet")),
      h("div", { class: "wall-side" },
        big(t("wall_next_pot"), cents(figures.jackpot_out), "pot-of"),
        h("p", { class: "wall-note" }, first ? t("paid_between", { first: date(first), last: date(last) }) : t("order_awaited")),
        h("p", { class: "wall-note soft" }, t("wall_paid_where", { amount: cents(facts.establishments_below_cents) })))));
}
