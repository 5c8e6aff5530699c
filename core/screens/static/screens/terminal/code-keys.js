// Offer the letters and digits of codes to a finger, for tills without a keyboard.

import { h } from "../base/dom.js";
import { t } from "../base/text.js";

const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Return the keys; they write into `input` and keep the focus there. */
function codeKeys(input) {
  const press = (write) => () => { write(); input.focus(); };
  const key = (letter) => h("button", { class: "button", type: "button", tabindex: "-1", onclick: press(() => { input.value += letter; }) }, letter);
  return h("div", { class: "code-keys", role: "group", "aria-label": t("touch_keys") }, [...LETTERS].map(key),
    h("button", { class: "button", type: "button", tabindex: "-1", "aria-label": t("backspace"), onclick: press(() => { input.value = input.value.slice(0, -1); }) }, "←"));
}

/** Return the button that shows the keys after `place`, the row of the field. */
export function codeKeysSwitch(input, place) {
  const keys = codeKeys(input);
  const button = h("button", { class: "button big", type: "button", "aria-expanded": "false", "aria-label": t("touch_keys"), onclick: () => {
    if (keys.isConnected) keys.remove();
    else place().after(keys);
    button.setAttribute("aria-expanded", String(keys.isConnected));
    input.focus();
  } }, "⌨");
  return button;
}
