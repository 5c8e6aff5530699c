// Show the two forms before work: enrolment, once for this machine, and the operator's sign-on.

import { h } from "../base/dom.js";
import { t } from "../base/text.js";

const SECOND_MS = 1000;

/** Return a keypad whose digits go to the field that last had the focus. */
function keypad(form) {
  let target = form.querySelector("input");
  form.addEventListener("focusin", (event) => { if (event.target.matches("input")) target = event.target; });
  const press = (digit) => {
    target.value = digit === "←" ? target.value.slice(0, -1) : target.value + digit;
    target.focus();
  };
  const key = (digit) => h("button", { class: "button big", type: "button", tabindex: "-1",
    "aria-label": digit === "←" ? t("backspace") : digit, onclick: () => press(digit) }, digit);
  return h("div", { class: "keypad" }, [..."123456789", "←", "0"].map(key));
}

function field(label, attributes) {
  return h("div", { class: "field" }, h("label", { for: attributes.id }, label), h("input", { class: "input", required: true, autocomplete: "off", ...attributes }));
}

/** Show an error; while the server wants no further try, count down to the next one. */
function say(error, button, problem) {
  error.textContent = problem.title ?? t("line_lost");
  error.hidden = false;
  button.disabled = problem.waitMs > 0;
  if (button.disabled && error.isConnected) setTimeout(() => say(error, button, problem), SECOND_MS);
}

/** Return a form that sends once at a time and shows errors below its fields. */
function form(title, why, fields, submit, send) {
  const error = h("p", { class: "notice bad", role: "alert", hidden: true });
  const button = h("button", { class: "button primary big", type: "submit" }, submit);
  const element = h("form", { class: "card stack way-in", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    error.hidden = true;
    try {
      await send(new FormData(element));
    } catch (problem) {
      button.disabled = false;
      say(error, button, problem);
      // The next PIN goes where it does not show, never into the operator's number.
      const secrets = [...element.querySelectorAll("input[type=password]")];
      for (const secret of secrets) secret.value = "";
      (secrets[0] ?? element.querySelector("input")).focus();
      return;
    }
    button.disabled = false;
  } }, h("h1", {}, title), h("p", { class: "soft" }, why), fields, error, button);
  queueMicrotask(() => element.querySelector("input").focus());
  return element;
}

export function enrolment(till) {
  return form(t("enrol"), t("enrol_why"), [field(t("enrolment_code"), { id: "enrolment-code", name: "code", spellcheck: "false" })],
    t("enrol_do"), async (data) => {
      await till.client.enrol(data.get("code").trim());
      till.client.dispatchEvent(new Event("session"));
    });
}

const pinField = (label, id, name) => field(label, { id, name, type: "password", inputmode: "numeric", pattern: "[0-9]{6,12}" });

export function signOn(till) {
  const element = form(`${t("sign_on")} · ${till.client.enrolled.terminal}`, t("sign_on_why"), [
    field(t("operator_number"), { id: "operator-number", name: "number", inputmode: "numeric", pattern: "[0-9]{1,5}" }),
    pinField(t("pin"), "operator-pin", "pin"),
  ], t("sign_on_do"), async (data) => {
    const number = Number(data.get("number"));
    try {
      await till.client.signOn(number, data.get("pin"));
    } catch (problem) {
      if (problem.code !== "pin_not_own") throw problem;
      element.replaceWith(ownPin(till, number, data.get("pin")));
    }
  });
  element.lastChild.before(keypad(element));
  return element;
}

/** Return the form in which an operator replaces the PIN that somebody else gave, and signs on. */
function ownPin(till, number, given) {
  const element = form(t("own_pin"), t("own_pin_why"), [
    pinField(t("new_pin"), "new-pin", "pin"), pinField(t("new_pin_again"), "new-pin-again", "again"),
  ], t("own_pin_do"), async (data) => {
    if (data.get("pin") !== data.get("again")) throw { title: t("new_pin_differs") };
    await till.client.choosePin(number, given, data.get("pin"));
    await till.client.signOn(number, data.get("pin"));
  });
  element.lastChild.before(keypad(element));
  return element;
}
