// Show a voucher to its holder.

import { h } from "../screens/base/dom.js";
import { cents, date } from "../screens/base/format.js";
import { t } from "../screens/base/text.js";

export function details(voucher) {
  const rows = [
    [t("emission"), `${voucher.game} · ${voucher.emission}`],
    [t("issued_on"), date(voucher.issue_day)],
    ...(voucher.prizes ?? []).map((prize) => [t("awarded"), cents(prize.cents)]),
  ];
  return h("section", { class: "card" }, h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])));
}
