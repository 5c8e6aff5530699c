// The board: reads the pulse every few seconds, a section's document when its name is new.

import { h } from "../base/dom.js";
import { timeOfDay } from "../base/format.js";
import { t } from "../base/text.js";
import { now, setTime } from "./time.js";

const EVERY_MS = 3000;
const OLD_AFTER_MS = 12000;
const config = JSON.parse(document.getElementById("config").textContent);
const place = document.getElementById("sections");
const sections = [];
let lastAt = 0;      // the system's time of the last pulse
let readAt = 0;      // when it was read here, by performance.now()

async function fetchJson(name) {
  const answer = await fetch(`/live/${name}`, { credentials: "omit" });
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.json();
}

async function look() {
  const pulse = await fetchJson("pulse.json");
  const at = Date.parse(pulse.at);
  if (at !== lastAt) { lastAt = at; readAt = performance.now(); setTime(at); }
  await Promise.all(sections.map((section) => refresh(section, pulse.feeds[section.name])));
}

async function refresh(section, feed) {
  if (!feed) return;
  if (feed.document !== section.shown) {
    const found = await fetchJson(feed.document);
    section.view.show(found, feed);
    section.shown = feed.document;
    section.root.replaceChildren(section.view.root);
  }
  section.view.beat(feed);
}

function tell() {
  const old = performance.now() - readAt > OLD_AFTER_MS;
  const line = document.getElementById("line");
  line.className = `badge ${old ? "bad" : "good"}`;
  line.textContent = old ? t("board_cut") : t("board_live");
  const notice = document.getElementById("old");
  if (notice.hidden === old) {
    notice.hidden = !old;
    notice.textContent = old ? t("board_old", { time: lastAt ? timeOfDay(lastAt) : "—" }) : "";
  }
  place.classList.toggle("old", old);
  document.getElementById("clock").textContent = lastAt ? timeOfDay(now()) : "";
  for (const section of sections) section.view.tick(now());
}

async function start() {
  for (const each of config.sections) {
    const { section } = await import(each.module);
    const root = h("section", { "aria-label": each.title, class: `section ${each.name}` },
      h("p", { class: "loading" }, t("loading")));
    sections.push({ name: each.name, root, view: section(), shown: null });
  }
  place.replaceChildren(...sections.map((section) => section.root));
  const round = async () => {
    // A lost line is no error of the page: what is shown is marked as old until it is back.
    try { await look(); } catch (error) { if (!(error instanceof TypeError)) console.warn(error); }
    setTimeout(round, EVERY_MS + Math.random() * 500);
  };
  readAt = performance.now();
  await round();
  tell();
  setInterval(tell, 1000);
}

start();
