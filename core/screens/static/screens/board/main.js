// Show the board: read the pulse every few seconds, and a section's document when its name is new.

import { h } from "../base/dom.js";
import { timeOfDay } from "../base/format.js";
import { t } from "../base/text.js";
import { now, setTime } from "./time.js";
import { wall } from "./wall.js";

// The publisher writes once a second; with this interval a change shows within five seconds.
const EVERY_MS = 3000;
const SPREAD_MS = 200;    // so that boards switched on together spread their requests
const PATIENCE_MS = 8000;
const OLD_AFTER_MS = 12000;
const LIVE = document.documentElement.dataset.live;
const config = JSON.parse(document.getElementById("config").textContent);
const place = document.getElementById("sections");
const sections = [];
const onWall = "wall" in document.documentElement.dataset;
let lastAt = 0;           // the server's time of the last pulse, ms
let showScene = null;

async function fetchJson(name) {
  const answer = await fetch(`${LIVE}/${name}`, { credentials: "omit", signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.json();
}

async function look() {
  const pulse = await fetchJson("pulse.json");
  const at = Date.parse(pulse.at);
  if (at !== lastAt) setTime(at);
  lastAt = at;
  const feeds = sections.map((section) => pulse.feeds[section.name]);
  const answers = await Promise.allSettled(sections.map((section, index) => changed(section, feeds[index])));
  // All sections are drawn in one step: none moves another that was drawn before it.
  sections.forEach((section, index) => {
    if (feeds[index] && answers[index].status === "fulfilled") draw(section, feeds[index], answers[index].value);
  });
  const failed = answers.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

/** Return the section's document if its name is new, otherwise null. */
async function changed(section, feed) {
  return feed && feed.document !== section.shown ? fetchJson(feed.document) : null;
}

function draw(section, feed, published) {
  if (published) {
    section.view.show(published, feed);
    section.shown = feed.document;
    if (!onWall && !section.view.root.isConnected) section.root.replaceChildren(section.view.root);
  }
  section.view.beat(feed);
}

function tell() {
  // True also if the files are served but no longer published.
  const old = now() - lastAt > OLD_AFTER_MS;
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
  if (!onWall) for (const section of sections) section.view.tick(now());
  else if (lastAt) showScene(now());
}

/** Show what the page itself holds of a meeting that is over. */
function showFixed() {
  document.getElementById("line").remove();
  for (const section of sections) {
    const { document: published, pulse } = config.fixed[section.name];
    section.view.show(published, pulse);
    section.view.beat(pulse);
    section.root.replaceChildren(section.view.root);
  }
}

async function start() {
  for (const each of config.sections) {
    const { section } = await import(each.module);
    const root = h("section", { "aria-label": each.title, class: `section ${each.name}` },
      h("p", { class: "loading" }, t("loading")));
    sections.push({ name: each.name, root, view: section(), shown: null });
  }
  if (onWall) showScene = wall(place, sections);
  else place.replaceChildren(...sections.map((section) => section.root));
  if (config.fixed) {
    setTime(Date.parse(config.at));
    showFixed();
    return;
  }
  const round = async () => {
    // A lost connection, also in the middle of an answer, is no fault of the page: the data is marked
    // as old until it returns.
    try { await look(); } catch (error) { if (!(error instanceof TypeError || error instanceof SyntaxError)) console.warn(error); }
    setTimeout(round, EVERY_MS + Math.random() * SPREAD_MS);
  };
  setTime(Date.parse(config.at));
  await round();
  tell();
  setInterval(tell, 1000);
}

start();
