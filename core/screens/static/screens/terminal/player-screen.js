// Draw the player's screen from the messages of the terminal beside it.

import { h } from "../base/dom.js";
import { t } from "../base/text.js";

const channel = new BroadcastChannel("terminal.player");
const place = document.getElementById("shown");

function draw({ kind, tone = "info", title = "", large = "", rows = [], note = "" }) {
  if (kind === "idle") return place.replaceChildren(h("p", { class: "idle large" }, t("player_idle")));
  place.replaceChildren(h("section", { class: `state ${tone}` },
    h("h1", {}, title), large ? h("p", { class: "large amount" }, large) : null,
    rows.length ? h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])) : null,
    note ? h("p", {}, note) : null));
}

channel.addEventListener("message", ({ data }) => { if (data !== "resend") draw(data); });
draw({ kind: "idle" });
channel.postMessage("resend");
