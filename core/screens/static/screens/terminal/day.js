// Show the day at this terminal: the shift's drawer, each game's sales and last tickets.

import { h } from "../base/dom.js";
import { t } from "../base/text.js";
import { cashUp } from "./cash-up.js";

export function day(till) {
  const element = h("section", { class: "day" });

  async function show() {
    element.replaceChildren(h("p", { class: "loading" }, t("loading")));
    try {
      const parts = await Promise.all([cashUp(till, show), ...till.panels().map((panel) => panel.day?.(show))]);
      element.replaceChildren(h("h1", { class: "heard" }, t("day")), ...parts.filter(Boolean));
    } catch (error) {
      if (!(error instanceof till.LineLost || error instanceof till.Problem)) throw error;
      element.replaceChildren(
        h("div", { class: "empty stack" }, h("p", {}, error.title ?? t("line_lost")),
          h("button", { class: "button", type: "button", onclick: show }, t("try_again"))));
    }
  }

  return { element, show };
}
