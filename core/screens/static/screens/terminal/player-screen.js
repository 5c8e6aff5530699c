// Draw the player's screen from the messages of the terminal beside it. While nobody is served it shows
// what the boards' files say (board/main.js).

import { adopted, h } from "../base/dom.js";

const channel = new BroadcastChannel("terminal.player");
const place = document.getElementById("shown");
const config = JSON.parse(document.getElementById("config").textContent);
const modules = new Map(config.sections.map(({ name, module }) => [name, module]));
let shown = 0;

function words({ tone = "info", title = "", large = "", rows = [], note = "" }) {
  return h("section", { class: `state ${tone}` },
    h("h1", {}, title), large ? h("p", { class: "large amount" }, large) : null,
    rows.length ? h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])) : null,
    note ? h("p", {}, note) : null);
}

/** Return a play as the till shows it; the player's touches go to the till, which answers. */
function stage({ title, markup }) {
  const root = adopted(markup, ".paper");
  const touch = (target) => {
    const index = [...root.querySelectorAll("button")].indexOf(target?.closest("button"));
    if (index >= 0) channel.postMessage({ touched: index });
  };
  root.addEventListener("click", ({ target }) => touch(target));
  root.addEventListener("pointermove", ({ buttons, clientX, clientY }) => {
    const target = buttons && document.elementFromPoint(clientX, clientY);
    if (target?.closest(".cell.covered")) touch(target);
  });
  return h("section", { class: "stage" }, h("h1", {}, title), root);
}

async function draw(content) {
  const turn = ++shown;
  document.body.classList.toggle("idle", content.kind === "idle");
  if (content.kind === "idle") return place.replaceChildren();
  const drawn = content.game ? (await import(modules.get(content.game))).drawn(content) : content.kind === "stage" ? stage(content) : words(content);
  return turn === shown && place.replaceChildren(drawn);
}

channel.addEventListener("message", ({ data }) => { if (data.kind) draw(data); });
draw({ kind: "idle" });
channel.postMessage("resend");
