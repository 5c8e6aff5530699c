// Draw a leg on the board: its runners by number, withdrawals, and the runners their bets pass to.

import { cloth, h } from "../../screens/base/dom.js";
import { hourOfDay, left, raceOfTicket } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { now } from "../../screens/board/time.js";
import { arrived } from "./arrived.js";
import { mostMarked, percent, shareBar } from "./shares.js";

const TONES = { scheduled: "", started: "warn", declared: "bad", drawn: "info", classified: "good" };
const narrow = matchMedia("(max-width: 40rem)");

function words(leg) {
  switch (leg.state === "declared" ? leg.declared : leg.state) {
    case "scheduled": return t("race_scheduled");
    case "started": return t("race_started");
    case "not_run": return t("race_not_run");
    case "suspended": return t("race_suspended");
    case "all_disqualified": return t("race_all_disqualified");
    case "no_winner": return t("race_no_winner");
    case "drawn": return t("race_drawn");
    default: return t("race_classified");
  }
}

export const raceId = (contest, leg) => `race-${contest}-${leg.position}`;

/** Return the card of a leg and the function that shows the shares of the bets. On a phone the card
 *  of a decided race is folded. */
export function card(contest, leg) {
  const winners = leg.runners.filter((runner) => leg.winners.includes(runner.number));
  const lines = leg.runners.map((runner) => line(runner, winners.includes(runner)));
  const most = h("p", { class: "small most-marked" });
  const root = h("section", { class: ["card race", arrived(raceId(contest, leg), winners.length > 0) && "arrived"], id: raceId(contest, leg), "aria-label": raceOfTicket(leg) },
    h("details", { "data-key": `runners-${contest}-${leg.position}`, open: !(winners.length && narrow.matches) },
      h("summary", {},
        h("span", { class: "row ends" }, h("h4", {}, raceOfTicket(leg)), h("span", { class: `badge ${TONES[leg.state]}` }, words(leg))),
        winners.length ? h("span", { class: "winner-line won" }, winners.map((runner) => [cloth(runner.number), h("span", {}, runner.name)])) : null),
      h("p", { class: "small soft" }, [leg.name, leg.distance_m ? `${leg.distance_m} m` : null].filter(Boolean).map((fact) => `${fact} · `).join(""),
        h("time", { datetime: leg.start_at }, hourOfDay(leg.start_at))),
      leg.state === "declared" ? draw(leg) : null,
      most,
      h("ol", { class: "runners" }, lines.map((each) => each.root))));
  const showShares = (shares) => {
    const first = mostMarked(leg, shares);
    most.replaceChildren(...(first ? [`${t("most_marked")}: `, cloth(first.number), ` ${first.name}, ${percent(shares[first.number])}`] : []));
    for (const each of lines) each.share(shares[each.number], each.number === first?.number);
  };
  return { root, showShares };
}

function line(runner, won) {
  const passes = runner.withdrawn && runner.trace.length > 1
    ? h("span", { class: "small soft" }, t("board_bets_on", { number: runner.trace.at(-1) })) : null;
  const facts = [runner.driver, runner.distance_m ? `${runner.distance_m} m` : null].filter(Boolean).join(" · ");
  const place = h("span", { class: "share-of" });
  const root = h("li", { class: ["runner", won && "won"] },
    cloth(runner.number),
    h("span", {}, h("span", { class: runner.withdrawn ? "withdrawn" : "name" }, runner.name),
      runner.withdrawn ? h("span", { class: "heard" }, ` (${t("withdrawn")})`) : null,
      h("span", { class: "small soft driver" }, passes ?? [facts ? h("span", { class: "facts-of" }, facts) : null, " ", runner.form ? h("span", { class: "form" }, h("span", { class: "heard" }, t("form")), runner.form) : null])),
    h("span", { class: "runner-end" }, won ? h("span", { class: "badge good" }, t("board_winner")) : null, place));
  return { root, number: runner.number, share: (perMille, most) => place.replaceChildren(...(perMille && !runner.withdrawn ? [shareBar(perMille, most)] : [])) };
}

function draw(leg) {
  const due = Date.parse(leg.draw_due_at);
  return h("p", { class: "notice warn" }, t("board_draw_by", { time: hourOfDay(due) }),
    now() < due ? ` (${left(due - now())})` : "", leg.draw_place ? ` ${leg.draw_place}` : "");
}
