// Show the day at this terminal: the shift's drawer, each game's sales and last tickets.

import { h } from "../base/dom.js";
import { hourOfDay } from "../base/format.js";
import { t } from "../base/text.js";
import { cashUp } from "./cash-up.js";
import { ROLLS_MM, rollMm, setRoll, sincePaper, testPage } from "./printer.js";

const RULER = "1234567890".repeat(5);

/** Return the card of the printer: what is known of it, and a page to look at. */
function printer(till) {
  const ms = sincePaper();
  const state = ms === null ? t("printer_unused") : t("printer_last", { time: hourOfDay(till.clock.now() - ms) });
  const page = () => testPage([t("printer_test"), till.me.terminal, till.me.premises_name, RULER, "àèéíïòóúüç l·l ñ ¿¡ € ✶"]).catch(till.tell);
  const roll = (mm) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "roll", checked: mm === rollMm(), onchange: () => setRoll(mm) }), `${mm} mm`);
  return h("section", { class: "card row ends printer" }, h("h2", {}, t("printer")), h("p", {}, state),
    h("fieldset", { class: "row" }, h("legend", {}, t("printer_roll")), ROLLS_MM.map(roll)),
    h("button", { class: "button", type: "button", onclick: page }, t("printer_test")));
}

/** Return the card in which the operator chooses the language of the player's screen. */
function playerLanguage(till) {
  const choices = [...document.querySelectorAll("a[hreflang]")].map(({ lang, title }) => h("button",
    { class: "button", type: "button", lang, onclick: () => till.player.speak(lang) }, title));
  return h("section", { class: "card row ends player-language" }, h("h2", {}, t("player_language")), h("div", { class: "row" }, choices));
}

export function day(till) {
  const element = h("section", { class: "day" });

  async function show() {
    element.replaceChildren(h("p", { class: "loading" }, t("loading")));
    try {
      const parts = await Promise.all([cashUp(till, show), ...till.panels().map((panel) => panel.day?.(show))]);
      element.replaceChildren(h("h1", { class: "heard" }, t("day")), ...parts.filter(Boolean), printer(till), playerLanguage(till));
    } catch (error) {
      if (!(error instanceof till.LineLost || error instanceof till.Problem)) throw error;
      element.replaceChildren(
        h("div", { class: "empty stack" }, h("p", {}, error.title ?? t("line_lost")),
          h("button", { class: "button", type: "button", onclick: show }, t("try_again"))));
    }
  }

  return { element, show };
}
