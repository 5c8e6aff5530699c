// Ask whether a game's rules and percentage are displayed before its first sale here (15.III.5.2).

import { h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { decimal } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";
import { prizeTable } from "./prizes.js";

/** Show what must be on display. `done` runs once the operator has acknowledged it. */
export function display(till, game, done) {
  async function poster() {
    try {
      await till.print(await till.client.text(`promotrot/public/emissions/${game.reference}/poster.html?lang=${language}`), { wide: true });
    } catch (error) {
      till.tell(error);
    }
  }
  async function acknowledge() {
    try {
      await till.client.post(`promotrot/terminal/emissions/${game.emission}/display-acknowledgement`);
      box.close();
      done();
    } catch (error) {
      till.tell(error);
    }
  }
  const box = dialog(t("game_display_title"), [h("p", {}, t("game_display_why")), h("h3", {}, game.name),
    h("div", { class: "halves" }, h("ul", { class: "stack tight rules-list" }, game.rules.map((rule) => h("li", {}, rule))), prizeTable(game)),
    h("p", { class: "large" }, t("to_prizes", { percent: decimal(game.prize_percent) })),
    h("div", { class: "row ends" }, h("button", { class: "button big", type: "button", onclick: poster }, t("print_poster")),
      h("button", { class: "button primary big displayed", type: "button", onclick: acknowledge }, t("is_displayed")))],
  { className: "confirmation wide" });
}
