// Draw the player's screen from the messages of the terminal beside it. While nobody is served it shows
// what the boards' files say (board/main.js).

import { adopted, h } from "../base/dom.js";
import { cents, date, decimal } from "../base/format.js";
import { has, language, plain, t } from "../base/text.js";

const channel = new BroadcastChannel("terminal.player");
const place = document.getElementById("shown");
const config = JSON.parse(document.getElementById("config").textContent);
const modules = new Map(config.sections.map(({ name, module }) => [name, module]));
const LANGUAGE = "player.language";   // chosen here or at the till, for this screen alone
const PATIENCE_MS = 2000;
let drawings = 0;   // begun so far: the last one alone is put on the screen
let before = [];   // the parts of the play as they were last shown

/** Return a text of the till in the language of this screen, if it says of what it was made. */
function inLanguage(value) {
  if (Array.isArray(value)) return value.map(inLanguage).join("");
  if (!value?.of) return value;
  const { text, of } = value;
  if (!Array.isArray(of)) return ofWhat(of, text);
  const [key, values] = of;
  return has(key) ? t(key, Object.fromEntries(Object.entries(values).map(([name, one]) => [name, inLanguage(one)]))) : text;
}

/** Return in the language of this screen what was not made of a catalogue's text. */
function ofWhat({ texts: translations, ...one }, text) {
  if (translations) return translations[language] ?? text;
  if ("problem" in one) return text;
  if ("cents" in one) return cents(one.cents);
  return "date" in one ? date(one.date) : decimal(one.decimal);
}

function words({ tone = "info", title = "", large = "", rows = [], note = "" }) {
  return h("section", { class: `state ${tone}` },
    h("h1", {}, inLanguage(title)), large ? h("p", { class: "large" }, inLanguage(large)) : null,
    rows.length ? h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", {}, inLanguage(label)), h("dd", {}, inLanguage(value))])) : null,
    note ? h("p", {}, inLanguage(note)) : null);
}

/** Return a note; of a refusal, what the API says in the language of this screen. */
async function noteOf(note) {
  const code = note?.of?.problem;
  if (!code) return note;
  const answer = await fetch(`/api/v1/problems/${code}`, { headers: { "Accept-Language": language }, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
  return answer?.ok ? answer.json().then(({ title }) => plain(title), () => note.text) : note.text;
}

/** Have this screen speak a language from now on. */
function speak(language) {
  localStorage.setItem(LANGUAGE, language);
  if (language !== document.documentElement.lang) location.search = `?lang=${language}`;
}

/** Return a play as the till shows it; the player's touches go to the till, which answers. A play that has
 *  ended stands under its result: the player sees what decided it. */
function stage({ title, markup, result }) {
  const root = adopted(markup, ".paper");
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = inLanguage(JSON.parse(node.dataset.text));
  for (const node of root.querySelectorAll("[data-label]")) node.ariaLabel = inLanguage(JSON.parse(node.dataset.label));
  keepStill(root);
  const touch = (target) => {
    const index = [...root.querySelectorAll("button")].indexOf(target?.closest("button"));
    if (index >= 0) channel.postMessage({ touched: index });
  };
  root.addEventListener("click", ({ target }) => touch(target));
  root.addEventListener("pointermove", ({ buttons, clientX, clientY }) => {
    const target = buttons && document.elementFromPoint(clientX, clientY);
    if (target?.closest(".cell.covered")) touch(target);
  });
  return h("section", { class: "stage" }, result ? words({ ...result, title }) : h("h1", {}, inLanguage(title)), root);
}

/** Have nothing move again that is as it was: the whole play is drawn again at each touch. */
function keepStill(root) {
  const parts = [...root.querySelectorAll(".cell, .door, .rung")];
  const now = parts.map((part) => part.outerHTML);
  parts.forEach((part, index) => part.classList.toggle("still", part.outerHTML === before[index]));
  before = now;
}

async function draw(content) {
  const turn = ++drawings;
  document.body.classList.toggle("idle", content.kind === "idle");
  if (content.kind === "idle") return place.replaceChildren();
  if (content.note?.of?.problem) place.replaceChildren(words(content));   // until the line has brought the reason
  const drawn = content.game ? (await import(modules.get(content.game))).drawn(content) : content.kind === "stage" ? stage(content)
    : words({ ...content, note: await noteOf(content.note) });
  return turn === drawings && place.replaceChildren(drawn);
}

channel.addEventListener("message", ({ data }) => {
  if (data.language) speak(data.language);
  else if (data.kind) draw(data);
});
const asked = new URLSearchParams(location.search).get("lang");
speak(asked ?? localStorage.getItem(LANGUAGE) ?? document.documentElement.lang);
draw({ kind: "idle" });
channel.postMessage("resend");
