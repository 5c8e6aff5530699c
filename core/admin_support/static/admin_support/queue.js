// Keep the queue of decisions true while it is open: its number, what another person decided, and what
// arrives. Nothing moves under the person: what is read stays, and is only said to be decided.
"use strict";
(() => {
  const EVERY_MS = 4000;
  const page = document.querySelector("[data-decision]");
  const queue = document.querySelector("[data-queue]");
  if (!page && !queue) return;
  const lost = document.querySelector("[data-lost]");
  let drawnLast = "";
  let asking = 0;
  let leaving = false; // a page that is left gives its request up: no line is lost

  async function ask() {
    if (document.hidden) return;
    const address = queue ? queue.dataset.queue : `${location.pathname}?part=1`;
    try {
      const answer = await fetch(address, { headers: { "X-By-Itself": "1" }, cache: "no-store", redirect: "error" });
      lost.hidden = true;
      if (!answer.ok) return;
      if (queue) draw(await answer.text());
      else tell(await answer.json());
    } catch {
      // The page stays as it is, and says so: the server decides whether a decision counts.
      lost.hidden = leaving;
    }
  }

  function draw(drawn) {
    if (drawn === drawnLast) return;
    drawnLast = drawn;
    const focused = queue.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    queue.innerHTML = drawn;
    const again = focused && queue.querySelector(`a[href="${CSS.escape(focused)}"]`);
    // Enter opens what arrived, unless the person is somewhere else on the page.
    if (again) again.focus();
    else if (document.activeElement === document.body) queue.querySelector("[data-decide]")?.focus();
  }

  function tell({ position, gone }) {
    const place = page.querySelector("[data-position]");
    if (place && position) place.textContent = position;
    if (!gone) return;
    clearInterval(asking);
    const notice = page.querySelector("[data-gone]");
    notice.textContent = gone;
    notice.hidden = false;
    dispatchEvent(new Event("house:gone"));
  }

  addEventListener("pagehide", () => { leaving = true; });
  addEventListener("pageshow", () => { leaving = false; });
  asking = setInterval(ask, EVERY_MS);
})();
