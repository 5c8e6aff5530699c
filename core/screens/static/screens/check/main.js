// Check a ticket: send its code to the API and show the answer in large type.

import { h } from "../base/dom.js";
import { cents, date } from "../base/format.js";
import { payersOf } from "../base/payers.js";
import { has, language, plain, t } from "../base/text.js";
import { camera } from "./camera.js";

// The texts of states and places are those of the terminal (core/screens/terminal.py).
const TONES = { prize: "good", refund_due: "good", granted: "good", presented: "warn", deposited: "warn", blocked: "warn", sold: "info", no_prize: "info", paid: "info", exchanged: "info" };
const config = JSON.parse(document.getElementById("config").textContent);
const form = document.getElementById("ask");
const input = document.getElementById("code");
const answer = document.getElementById("answer");
const slip = document.getElementById("compare"); // shown below the answer, which would push it down

const KEPT = "check.kept";
const AGAIN_MS = 5000;
let waiting = 0;   // the timer of the next try, while there is no connection

class Refused extends Error {}

async function post(path, body) {
  const response = await fetch(`/api/v1/${path}`, {
    method: "POST", cache: "no-store", credentials: "omit", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "Accept-Language": language },
  });
  const content = await response.json();
  if (!response.ok) throw Object.assign(new Refused(content.title), { code: content.code });
  return content;
}

async function check(code) {
  clearTimeout(waiting);
  waiting = 0;
  answer.replaceChildren(h("p", { class: "loading" }, t("loading")));
  try {
    const ticket = await post("check", { code });
    const game = await import(config.games[ticket.game]);
    answer.replaceChildren(...drawn(ticket, game, code));
  } catch (error) {
    if (error instanceof Refused) answer.replaceChildren(h("div", { class: "state bad", role: "alert" }, h("p", { class: "large" }, t("not_known")), h("p", {}, plain(error.message))));
    else {
      answer.replaceChildren(h("div", { class: "state warn", role: "alert" }, h("p", { class: "large" }, t("not_checked")), h("p", {}, t("not_checked_why"))));
      waiting = setTimeout(() => check(code), AGAIN_MS);
    }
    if (!(error instanceof Refused || error instanceof TypeError)) throw error;
  } finally {
    slip.hidden = false;
  }
}

function drawn(ticket, game, code) {
  const standing = game.standing?.(ticket);
  const owed = ticket.amount_cents ? cents(ticket.amount_cents) : "";
  const facts = [
    ticket.stage && has(`stage_${ticket.stage}`) ? [t("stage"), t(`stage_${ticket.stage}`)] : null,
    ...payersOf(ticket),
    ticket.means === "nominative_cheque" ? [t("means"), t("nominative_cheque")] : null,
    ticket.first_pay_day ? [t("first_pay_day"), date(ticket.first_pay_day)] : null,
    ticket.last_claim_day ? [t("last_claim_day"), date(ticket.last_claim_day)] : null,
  ].filter(Boolean);
  return [
    h("div", { class: ["state", TONES[ticket.state] ?? "bad"] },
      h("p", { class: "large" }, standing ? standing[0] : t(`state_${ticket.state}`)),
      standing ? h("p", {}, standing[1]) : null,
      owed ? h("p", { class: "large amount" }, owed) : null,
      ticket.thing ? h("p", { class: "large" }, ticket.thing.description) : null),
    facts.length ? h("div", { class: "card" }, h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]))) : null,
    game.details(ticket.details),
    game.proof ? proof(game.proof, code) : null,
    remembering(ticket, code),
  ].filter(Boolean);
}

/** Return the choice to keep the code of a ticket on this machine, for who holds it. */
function remembering(ticket, code) {
  const box = h("input", { type: "checkbox", checked: code in remembered(), onchange: () => {
    const kept = remembered();
    if (box.checked) kept[code] = ticket.details.day ? date(ticket.details.day) : date(new Date().toISOString().slice(0, 10));
    else delete kept[code];
    localStorage.setItem(KEPT, JSON.stringify(kept));
    listKept();
  } });
  return h("label", { class: "card row" }, box, h("span", {}, t("remember"), h("span", { class: "small soft" }, ` ${t("remember_why")}`)));
}

function remembered() {
  try { return JSON.parse(localStorage.getItem(KEPT)) ?? {}; } catch { return {}; }
}

/** Show the tickets that are kept, by day and the end of the code. */
function listKept() {
  const kept = Object.entries(remembered());
  const place = document.getElementById("kept");
  place.hidden = !kept.length;
  place.replaceChildren(h("h2", {}, t("remembered")), h("div", { class: "row" }, kept.map(([code, day]) =>
    h("button", { class: "button", type: "button", onclick: () => { input.value = code; check(code); } }, `${day} · …${code.slice(-4)}`))));
}

function proof(path, code) {
  const place = h("section", { class: "card stack" });
  const button = h("button", { class: "button", type: "button", onclick: async () => {
    try {
      const sealed = await post(path, { code });
      const file = URL.createObjectURL(new Blob([JSON.stringify(sealed, null, 1)], { type: "application/json" }));
      const { document: seal, sequence } = sealed.seal;
      place.replaceChildren(
        h("h2", {}, t("proof_title")), h("p", {}, t("proof_why")),
        h("dl", { class: "facts" },
          h("dt", {}, t("proof_place")), h("dd", {}, `${sealed.place + 1} / ${seal.tickets}`),
          h("dt", {}, t("proof_entry")), h("dd", {}, h("a", { href: `/api/v1/log/${sequence}` }, String(sequence))),
          h("dt", {}, t("proof_root")), h("dd", { class: "code small" }, seal.root)),
        h("p", {}, h("a", { class: "button", href: file, download: "proof.json" }, t("proof_save"))));
    } catch (error) {
      const words = error.code === "contest_not_sealed" ? t("proof_none") : error instanceof Refused ? error.message : t("line_lost");
      place.replaceChildren(h("p", { class: "notice warn", role: "alert" }, words), button);
    }
  } }, t("proof_get"));
  place.append(button);
  return place;
}

// t("log_missing") t("log_different") t("log_broken")
async function compare(printed, place) {
  place.replaceChildren(h("p", { class: "loading" }, t("loading")));
  try {
    const response = await fetch(`/api/v1/log/comparison?${new URLSearchParams({ printed })}`, {
      cache: "no-store", credentials: "omit", headers: { "Accept-Language": language },
    });
    const content = await response.json();
    if (!response.ok) throw new Refused(content.title);
    const { finding, sequence, head } = content;
    const now = h("p", { class: "small" }, `${t("log_now")}: ${head}`);
    place.replaceChildren(finding === "contained"
      ? h("div", { class: "state good" }, h("p", {}, t("log_contained", { n: sequence })), now)
      : h("div", { class: "state bad", role: "alert" }, h("p", { class: "large" }, t("log_rewritten")), h("p", {}, t(`log_${finding}`, { n: sequence })), h("p", {}, t("log_keep")), now));
  } catch (error) {
    place.replaceChildren(h("p", { class: "notice warn", role: "alert" }, error instanceof Refused ? error.message : t("line_lost")));
    if (!(error instanceof Refused || error instanceof TypeError)) throw error;
  }
}

/** Return the code of what was typed or scanned: a symbol holds an address that ends in #code. */
const codeOf = (text) => text.trim().split("#").at(-1);

addEventListener("online", () => { if (waiting) check(codeOf(input.value)); });
listKept();
slip.addEventListener("submit", (event) => { event.preventDefault(); compare(slip.printed.value.trim(), document.getElementById("compared")); });
form.addEventListener("submit", (event) => { event.preventDefault(); check(codeOf(input.value)); });
camera(document.getElementById("camera"), document.getElementById("view"), (code) => { input.value = code; check(code); });
if (location.hash.length > 1) {
  input.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname + location.search);
  check(input.value);
} else slip.hidden = false;
