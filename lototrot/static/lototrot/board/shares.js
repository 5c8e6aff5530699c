// Read the share of the bets on each horse: of the pulse before closing, of the document afterwards.

import { h } from "../../screens/base/dom.js";
import { count, decimal } from "../../screens/base/format.js";
import { t } from "../../screens/base/text.js";

/** Return the shares of a leg by number, in tenths of 1 %; empty if they are not shown. */
export function sharesOf(facts, pulse, leg) {
  const shares = pulse?.shares?.length ? pulse.shares : facts.shares;
  return shares[leg.position - 1] ?? {};
}

/** Return the runner that is marked most and runs, or nothing. */
export function mostMarked(leg, shares) {
  const running = leg.runners.filter((runner) => !runner.withdrawn && shares[runner.number]);
  return running.reduce((most, runner) => (most && shares[most.number] >= shares[runner.number] ? most : runner), null);
}

export const percent = (perMille) => `${decimal(perMille / 10)} %`;

/** Return a share without its tenths, where there is little room. */
export const wholePercent = (perMille) => `${perMille < 10 ? "<1" : count(Math.round(perMille / 10))}\u202f%`;

/** Return a bar and its figure. */
export function shareBar(perMille, most = false) {
  const bar = h("span", { class: "share-bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", `${perMille / 10}%`);
  return h("span", { class: ["share", most && "most"] }, h("span", { class: "heard" }, t("share_of_bets")), bar, h("span", { class: "figure" }, percent(perMille)));
}
