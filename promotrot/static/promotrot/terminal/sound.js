// Play short sounds of a game, if the player wants them. Off until somebody switches them on.

import { h } from "../../screens/base/dom.js";
import { t } from "../../screens/base/text.js";

const KEPT = "promotrot.sound";
const TUNES = { uncover: [660], over: [330, 262], win: [523, 659, 784, 1047] };
const NOTE_S = 0.11;
let context = null;

const isOn = () => localStorage.getItem(KEPT) === "on";

export function sound(name) {
  if (!isOn()) return;
  context ??= new AudioContext();
  TUNES[name].forEach((hertz, index) => {
    const tone = new OscillatorNode(context, { type: "triangle", frequency: hertz });
    const at = context.currentTime + index * NOTE_S;
    tone.connect(new GainNode(context, { gain: 0.15 })).connect(context.destination);
    tone.start(at);
    tone.stop(at + NOTE_S);
  });
}

/** Return the button that switches sounds on and off. */
export function soundSwitch() {
  const button = h("button", { class: "button quiet", type: "button", "aria-pressed": String(isOn()), onclick: () => {
    localStorage.setItem(KEPT, isOn() ? "off" : "on");
    button.setAttribute("aria-pressed", String(isOn()));
    sound("uncover");
  } }, t("sound"));
  return button;
}
