// Ask whether programme, rules and percentage are displayed before anything is sold
// (14.III.5.2, 14.III.6.2).

import { h } from "../../screens/base/dom.js";
import { dialog } from "../../screens/base/dialog.js";
import { decimal } from "../../screens/base/format.js";
import { language, t } from "../../screens/base/text.js";

const poster = (till, contest) => async () => {
  try {
    await till.print(await till.client.text(`lototrot/terminal/contests/${contest.id}/poster.html?lang=${language}`), { wide: true });
  } catch (error) {
    till.tell(error);
  }
};

/** Return the element that replaces the legs until the operator has acknowledged the display. */
export function display(till, contest, done) {
  async function acknowledge() {
    try {
      await till.client.post(`lototrot/contests/${contest.id}/display-acknowledgement`);
      done();
    } catch (error) {
      till.tell(error);
    }
  }
  return h("div", { class: "card stack display" },
    h("h2", {}, t("display_title")), h("p", {}, t("display_why")),
    h("blockquote", { class: "rules" }, h("p", {}, contest.rules), h("p", { class: "large" }, t("to_prizes", { percent: decimal(contest.prize_percent) }))),
    h("div", { class: "row" },
      h("button", { class: "button big", type: "button", onclick: poster(till, contest) }, t("print_poster")),
      h("button", { class: "button primary big", type: "button", onclick: acknowledge }, t("is_displayed"))));
}

export function rules(till, contest) {
  dialog(t("rules"), [h("p", { class: "rules" }, contest.rules), h("p", {}, h("b", {}, t("to_prizes", { percent: decimal(contest.prize_percent) }))),
    h("p", { class: "row" }, h("button", { class: "button", type: "button", onclick: poster(till, contest) }, t("print_poster")))]);
}
