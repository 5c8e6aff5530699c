// Run the terminal: enrolment once, the operator's sign-on, then one tab for each task.

import { announce, h } from "../base/dom.js";
import { hourOfDay, timeOfDay } from "../base/format.js";
import { plain, t } from "../base/text.js";
import { client, LineLost, Problem } from "./client.js";
import * as clock from "./clock.js";
import { day } from "./day.js";
import { line } from "./line.js";
import { outbox } from "./outbox.js";
import * as player from "./player.js";
import { print } from "./printer.js";
import { prizes } from "./prizes.js";
import { onScan } from "./scanner.js";
import { enrolment, signOn } from "./sign-on.js";

const config = JSON.parse(document.getElementById("config").textContent);
const at = Object.fromEntries(
  ["work", "tabs", "clock", "line", "who", "headline", "toast", "waiting"].map((id) => [id, document.getElementById(id)]),
);
const NOTICED_MS = 300;
const panels = new Map();
const scans = [];
let current = null;
let me = null;

/** Give panels access to the terminal. */
const till = {
  client, clock, line, outbox, print, player, Problem, LineLost,
  get me() { return me; },
  get signedOn() { return Boolean(client.session && me); },
  /** Add an element to the head of the screen, which all tabs share. */
  headline: (element) => at.headline.append(element),
  panels: () => allowedPanels(),
  panel: (name) => panels.get(name),
  open: (name) => open(name),
  /** Send scanned codes to `taker` until the returned function is called. While a dialog is open or
   *  an answer is awaited, only a taker that is `inDialog` gets them. */
  takeScans(taker, { inDialog = false } = {}) {
    const entry = { taker, inDialog };
    scans.push(entry);
    return () => scans.splice(scans.indexOf(entry), 1);
  },
  toast(text, tone = "info") {
    at.toast.replaceChildren(h("p", { class: `notice ${tone}` }, text));
    announce(text);
    // Above a dialog too, which is in the top layer.
    if (at.toast.matches(":popover-open")) at.toast.hidePopover();
    at.toast.showPopover();
    clearTimeout(till.toast.timer);
    till.toast.timer = setTimeout(() => { at.toast.hidePopover(); at.toast.replaceChildren(); }, tone === "bad" ? 12_000 : 5000);
  },
  /** Show the error of a request. A lost connection is shown elsewhere. */
  tell(error) {
    if (error instanceof Problem) till.toast(plain(error.title), error.transient ? "warn" : "bad");
    else if (!(error instanceof LineLost)) throw error;
  },
};

function open(name) {
  if (current === name) return;
  panels.get(current)?.hide?.();
  current = name;
  for (const tab of at.tabs.children) {
    const chosen = tab.dataset.name === name;
    tab.setAttribute("aria-selected", chosen);
    tab.tabIndex = chosen ? 0 : -1;
  }
  const panel = panels.get(name);
  at.work.setAttribute("aria-labelledby", `tab-${name}`);
  at.work.replaceChildren(panel.element);
  panel.show?.();
}

function tabKeys(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const tabs = [...at.tabs.children];
  const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
}

/** Return the panels that this kind of terminal may use. */
const allowedPanels = () => [...panels.values()].filter(({ needs }) => !needs || me?.capabilities.includes(needs));

function drawTabs() {
  at.tabs.replaceChildren(...allowedPanels().map(({ name, title }, index) => h(
    "button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "work", "aria-keyshortcuts": `Alt+${index + 1}`,
      "data-name": name, onclick: () => open(name) }, title)));
}

// A key that stays down says nothing twice: one long Enter would mark, confirm and sell, or check and pay.
addEventListener("keydown", (event) => {
  if (!event.repeat || event.key !== "Enter") return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, { capture: true });

addEventListener("keydown", (event) => {
  if (event.key !== "F1" || !me) return;
  event.preventDefault();
  const { title, help } = panels.get(current) ?? {};
  if (!document.querySelector("dialog[open]")) import("./help.js").then((module) => module.help(title, help?.() ?? []));
});

addEventListener("keydown", (event) => {
  const tab = event.altKey && /^Digit[1-9]$/.test(event.code) && at.tabs.children[Number(event.code.at(-1)) - 1];
  if (!tab || at.tabs.hidden || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  tab.click();
});

/** Draw the enrolment, the sign-on or the tabs, by what the terminal has. */
async function draw() {
  const working = client.enrolled && client.session;
  at.tabs.hidden = true;
  document.body.classList.toggle("working", Boolean(working));
  drawWaiting();
  if (!working) {
    me = null;
    current = null;
    player.clear();
    at.who.replaceChildren();
    for (const panel of panels.values()) panel.signedOff?.();
    at.work.removeAttribute("aria-labelledby");
    at.work.replaceChildren(client.enrolled ? signOn(till) : enrolment(till));
    return;
  }
  try {
    me = await client.insist(() => client.get("terminal"));
    if (!me.session) return client.forget();
  } catch (error) {
    return till.tell(error);
  }
  drawWho();
  drawTabs();
  for (const panel of allowedPanels()) panel.signedOn?.();
  const before = sessionStorage.getItem("terminal.tab");
  open(allowedPanels().some(({ name }) => name === before) ? before : allowedPanels()[0].name);
  at.tabs.hidden = false;
  await outbox.resume();
}

function drawWho() {
  const off = async () => {
    try { await client.signOff(); } catch (error) { till.tell(error); }
  };
  at.who.replaceChildren(
    h("span", {}, h("b", {}, me.premises_name), h("br"),
      h("span", { class: "small soft" }, `${me.terminal} · ${me.session.operator} ${me.session.name}`)),
    h("button", { class: "button quiet", type: "button", onclick: off }, t("sign_off")),
  );
}

function drawLine() {
  document.body.classList.toggle("cut", !line.up);
  at.line.className = line.up ? "badge good" : "badge bad";
  at.line.textContent = line.up ? t("line_up") : t("line_lost");
  document.getElementById("cut").hidden = line.up;
  drawWaiting();
}

/** Cover the screen from the request of a sale or payment until its paper is printed. */
function drawWaiting() {
  const entry = outbox.entry;
  const waits = Boolean(entry) && Boolean(client.session);
  at.work.inert = waits;
  at.tabs.inert = waits;
  at.waiting.hidden = !waits;
  if (!waits) return at.waiting.replaceChildren();
  const asked = outbox.unanswered;
  const handler = outbox.handler(entry.kind) ?? {}; // empty until the panels are loaded
  const again = () => {
    outbox.mark("answered");
    outbox.resume().catch((error) => till.tell(error));
  };
  const words =
    h("div", { class: ["state", line.up && !outbox.inDoubt ? "info" : "bad"] },
      h("p", { class: "large" }, outbox.inDoubt ? t("in_doubt") : asked || handler.waiting ? t("waiting_answer") : t("waiting_paper")),
      h("p", {}, outbox.inDoubt ? t("in_doubt_why") : handler.waiting ?? (asked ? t("waiting_answer_why") : t("waiting_paper_why"))),
      outbox.inDoubt ? h("p", { class: "code" }, entry.uuid) : null,
      entry.shown ? h("p", { class: "large amount" }, entry.shown) : null,
      h("div", { class: "row centre" },
        handler.waiting || outbox.inDoubt ? null : asked
          ? h("button", { class: "button", type: "button", onclick: () => outbox.giveUp().catch(till.tell) }, t("give_up"))
          : [h("button", { class: "button primary", type: "button", onclick: again }, t("print_again")),
            h("button", { class: "button", type: "button", onclick: () => outbox.done(outbox.entry.uuid) }, t("paper_fails"))]));
  // Each try changes the outbox; a button that is drawn again under a finger would lose its press.
  if (!at.waiting.firstChild?.isEqualNode(words)) at.waiting.replaceChildren(words);
}

/** Enrol with a code that was scanned while its field did not have the focus. */
function enrolBy(code) {
  const field = document.getElementById("enrolment-code");
  field.value = code;
  field.form.requestSubmit();
  return true;
}

function showTime(ms) {
  at.clock.textContent = timeOfDay(ms);
  at.clock.dateTime = new Date(ms).toISOString();
  at.clock.title = hourOfDay(ms);
}

/** Wait until no other window of this machine runs the terminal. Two would send the same sale, print its
 *  paper twice, and take each other's token away. */
async function alone() {
  const tell = setTimeout(() => at.work.replaceChildren(h("p", { class: "empty large elsewhere" }, t("open_elsewhere"))), NOTICED_MS);
  await new Promise((have) => navigator.locks.request("terminal", () => { have(); return new Promise(() => {}); }));
  clearTimeout(tell);
}

async function start() {
  for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, () => till.toast(t("fault"), "bad"));
  await alone();
  client.open();
  outbox.open();
  drawLine();
  line.addEventListener("change", drawLine);
  line.start();
  outbox.addEventListener("change", drawWaiting);
  client.addEventListener("session", draw);
  at.tabs.addEventListener("keydown", tabKeys);
  addEventListener("pagehide", () => current && sessionStorage.setItem("terminal.tab", current));
  onScan((code) => {
    if (!client.enrolled) return enrolBy(code);
    const last = till.signedOn && scans.at(-1);
    if (!last) return false;
    const isBusy = document.querySelector("dialog[open]") || at.work.inert;
    if (isBusy && !last.inDialog) {
      document.querySelector("dialog[open]")?.dispatchEvent(new Event("scanned"));   // its keys were no person's
      till.toast(t("scan_later"), "warn");
    }
    else if (!allowedPanels().some((panel) => panel.scanned?.(code))) last.taker(code);
    return true;
  });
  clock.everySecond(showTime);
  for (const { name, title, module } of config.panels) {
    const { panel } = await import(module);
    panels.set(name, { name, title, needs: "sell", ...panel(till) });
  }
  panels.set("prizes", { name: "prizes", title: t("prizes"), ...prizes(till) });
  panels.set("day", { name: "day", title: t("day"), ...day(till) });
  await draw();
}

start();
