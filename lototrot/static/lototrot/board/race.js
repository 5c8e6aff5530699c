// Draw a leg on the board: its runners by number, withdrawals, and the runners their bets pass to.

import { cloth, h } from "../../screens/base/dom.js";
import { hourOfDay, left, raceOfTicket, timeOfDay } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";
import { now } from "../../screens/board/time.js";

const TONES = { scheduled: "", started: "warn", declared: "bad", drawn: "info", classified: "good" };

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

export function card(leg) {
  const winners = new Set(leg.winners);
  return h("section", { class: "card race", "aria-label": raceOfTicket(leg) },
    h("div", { class: "row ends" },
      h("h4", {}, raceOfTicket(leg)),
      h("span", { class: `badge ${TONES[leg.state]}` }, words(leg))),
    h("p", { class: "small soft" }, [leg.name, leg.distance_m ? `${leg.distance_m} m` : null].filter(Boolean).map((fact) => `${fact} · `).join(""),
      h("time", { datetime: leg.start_at }, hourOfDay(leg.start_at))),
    leg.state === "declared" ? draw(leg) : null,
    h("ol", { class: "runners" }, leg.runners.map((runner) => line(runner, winners))));
}

function line(runner, winners) {
  const won = winners.has(runner.number);
  const passes = runner.withdrawn && runner.trace.length > 1
    ? h("span", { class: "small soft" }, " ", t("board_bets_on", { number: runner.trace.at(-1) })) : null;
  return h("li", { class: ["runner", won && "won"] },
    cloth(runner.number),
    h("span", {}, h("span", { class: runner.withdrawn ? "withdrawn" : "name" }, runner.name),
      runner.withdrawn ? h("span", { class: "heard" }, ` (${t("withdrawn")})`) : null, passes,
      runner.driver && !runner.withdrawn ? h("span", { class: "small soft driver" }, ` ${runner.driver}`) : null),
    won ? h("span", { class: "badge good" }, t("board_winner")) : null);
}

function draw(leg) {
  const due = Date.parse(leg.draw_due_at);
  return h("p", { class: "notice warn" }, t("board_draw_by", { time: timeOfDay(due) }),
    now() < due ? ` (${left(due - now())})` : "", leg.draw_place ? ` ${leg.draw_place}` : "");
}
