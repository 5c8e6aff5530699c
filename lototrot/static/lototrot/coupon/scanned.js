// Make the bet of a scanned coupon, on the contests that the till sells.

import { Bet } from "../terminal/bet.js";
import { CouponRefused, read } from "./format.js";

// The checks of texts look for these keys, which are put together at run time:
// t("coupon_malformed") t("coupon_mistyped") t("coupon_other_version") t("coupon_closed") t("coupon_differs")

/** Return the bet, with `gone`, its withdrawn marks as [leg, number]. Throws CouponRefused. */
export function betOf(text, contests) {
  const { contest: id, races } = read(text);
  const contest = contests.find((each) => each.id === id);
  if (!contest) throw new CouponRefused("coupon_closed");
  const programmes = contest.races.map((race) => new Set(race.runners.map(({ number }) => number)));
  const marks = races.map((leg) => (Array.isArray(leg) ? leg : leg.quick_pick));
  const fits = races.length === programmes.length && marks.every((numbers, race) => numbers.every((number) => programmes[race].has(number)));
  if (!fits || (!contest.allows_multiple && marks.some((numbers) => numbers.length > 1))) throw new CouponRefused("coupon_differs");
  const gone = marks.flatMap((numbers, race) => numbers.filter((number) => !contest.races[race].offered.includes(number)).map((number) => [race, number]));
  return Object.assign(Bet.marked(contest, races), { gone });
}
