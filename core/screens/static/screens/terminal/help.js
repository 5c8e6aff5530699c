// Show the keys of the terminal and of the tab that is open (F1).

import { dialog } from "../base/dialog.js";
import { h } from "../base/dom.js";
import { t } from "../base/text.js";

/** `rows` are pairs of a key and what it does, of the open tab. */
export function help(title, rows) {
  const table = (name, list) => h("table", { class: "table" }, h("caption", {}, h("b", {}, name)),
    h("tbody", {}, list.map(([key, does]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, does)))));
  dialog(t("help"), h("div", { class: "grid" }, rows.length ? table(title, rows) : null,
    table(t("everywhere"), [["F1", t("help")], ["Alt + 1 … 9", t("help_tabs")], ["Esc", t("close")], [t("scanner"), t("help_scan")]])));
}
