// Show beside a form what the server computes from it while it is filled in: sums, and faults at their
// fields. Fields that the input makes needless are hidden.
"use strict";
(() => {
  const WAIT_MS = 250;
  const part = document.getElementById("live");
  const form = part?.closest("form");
  if (!form) return;
  let timer = 0;
  let asked = 0;

  /** Say a fault below its field; an empty sentence takes it away. */
  function say(field, sentence) {
    const id = `${field.id}_fault`;
    const notice = document.getElementById(id) ?? field.insertAdjacentElement("afterend", document.createElement("p"));
    if (!sentence) {
      notice.remove();
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
      return;
    }
    Object.assign(notice, { id, className: "house-fault", textContent: sentence });
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", id);
  }

  function showFaults() {
    const faults = new Map([...part.querySelectorAll("[data-fault]")].map((one) => [one.dataset.fault, one.textContent]));
    for (const field of form.elements) if (field.name && field.id) say(field, faults.get(field.name));
  }

  const named = (kind) => new Set(part.querySelector(`[data-${kind}]`)?.dataset[kind].split(" "));

  /** Hide what is not needed and empty, and what this sort of thing does not have, filled in or not. */
  function hideNeedless() {
    const needless = named("needless");
    const absent = named("absent");
    const away = ({ name, value }) => absent.has(name) || (needless.has(name) && !value);
    for (const row of form.querySelectorAll(".house-grid tr")) {
      const fields = [...row.querySelectorAll("input, select")];
      if (fields.length) row.hidden = fields.every(away);
    }
    for (const grid of form.querySelectorAll(".house-grid")) hideColumns(grid, absent);
    for (const field of form.querySelectorAll("input, select, textarea")) {
      const box = field.closest(".house-grid") ? null : field.closest("fieldset, .group");
      if (box) box.hidden = absent.has(field.name);
    }
  }

  function hideColumns(grid, absent) {
    const [head, ...rows] = grid.rows;
    let some = false;
    for (let at = 1; at < head.cells.length; at += 1) {
      const cells = rows.map((row) => row.cells[at]).filter(Boolean);
      const fields = cells.map((cell) => cell.querySelector("input, select"));
      const isAway = fields.every((field) => field && absent.has(field.name));
      for (const cell of [head.cells[at], ...cells]) cell.hidden = isAway;
      some ||= !isAway;
    }
    grid.closest(".house-scroll").hidden = !some;
  }

  async function compute() {
    const turn = ++asked;
    const body = new FormData(form);
    body.set("live", "1");
    part.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(location.href, { method: "POST", body, redirect: "error" });
      if (!answer.ok) throw new TypeError(String(answer.status));
      const drawn = await answer.text();
      if (turn !== asked) return; // a newer one is on its way
      part.innerHTML = drawn;
      showFaults();
      hideNeedless();
      dispatchEvent(new Event("house:drawn"));
    } catch {
      if (turn === asked) part.textContent = part.dataset.lost;
    }
    if (turn === asked) part.removeAttribute("aria-busy");
  }

  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(compute, WAIT_MS);
  });
  compute();
})();
