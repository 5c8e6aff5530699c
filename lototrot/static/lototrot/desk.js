// Refresh the organiser's desk: fetch the part that the server draws every few seconds.
"use strict";
(() => {
  const EVERY_MS = 4000;
  const desk = document.getElementById("desk");
  const line = document.getElementById("desk-line");
  if (!desk) return;
  let drawnLast = "";
  let at = performance.now();
  let leaving = false; // a page that is left gives its request up: no line is lost
  let pressed = false; // a link drawn again under the finger would lose its click
  const two = (n) => String(n).padStart(2, "0");
  const SECONDS = /data-seconds-left="(\d+)"/g; // they differ in every answer, and alone draw nothing again

  function tick() {
    const gone = Math.floor((performance.now() - at) / 1000);
    for (const each of desk.querySelectorAll("[data-seconds-left]")) {
      const left = Math.max(0, Number(each.dataset.secondsLeft) - gone);
      each.textContent = `${two(Math.floor(left / 3600))}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    }
  }

  async function refresh() {
    try {
      const answer = await fetch(desk.dataset.part, { cache: "no-store", redirect: "manual" });
      if (answer.type === "opaqueredirect") return signedOut();
      if (!answer.ok) throw new TypeError(String(answer.status));
      const drawn = await answer.text();
      line.textContent = "";
      if (pressed || desk.querySelector("input:focus")) return; // nor is what somebody types taken away
      // Keep the keyboard focus on its link, which is drawn again with the same address.
      const focused = desk.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      if (drawn.replace(SECONDS, "") !== drawnLast) {
        desk.innerHTML = drawn;
        drawnLast = drawn.replace(SECONDS, "");
        dispatchEvent(new Event("house:drawn"));
      } else {
        const clocks = desk.querySelectorAll("[data-seconds-left]");
        [...drawn.matchAll(SECONDS)].forEach(([, seconds], place) => { clocks[place].dataset.secondsLeft = seconds; });
      }
      at = performance.now();
      if (focused) desk.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    } catch {
      if (!leaving) line.textContent = desk.dataset.lost;
    }
    tick();
  }

  // The server sends a person who is no longer signed on to the sign-on.
  function signedOut() {
    clearInterval(asking);
    const again = document.createElement("a");
    again.href = location.href;
    again.className = "text-link";
    again.textContent = desk.dataset.again;
    line.replaceChildren(`${desk.dataset.ended} `, again);
  }

  addEventListener("pagehide", () => { leaving = true; });
  addEventListener("submit", () => { leaving = true; });
  addEventListener("pageshow", () => { leaving = false; });
  addEventListener("pointerdown", () => { pressed = true; });
  for (const name of ["pointerup", "pointercancel"]) {
    addEventListener(name, () => { setTimeout(() => { pressed = false; }); });
  }
  tick();
  setInterval(tick, 1000);
  const asking = setInterval(() => { if (!document.hidden) refresh(); }, EVERY_MS);
})();
