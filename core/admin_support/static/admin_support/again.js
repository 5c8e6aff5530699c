// Ask again for a part of the page while it says that it goes on. Once it has ended, the whole page is
// shown again, with what came of it.
"use strict";
(() => {
  const EVERY_MS = 2000;
  const part = document.querySelector("[data-again]");
  if (!part) return;
  let drawnLast = "";

  async function ask() {
    try {
      const answer = await fetch(part.dataset.again, { headers: { "X-By-Itself": "1" }, redirect: "error" });
      if (!answer.ok) throw new TypeError(String(answer.status));
      const drawn = await answer.text();
      if (drawn !== drawnLast) {
        part.innerHTML = drawnLast = drawn;
        dispatchEvent(new Event("house:drawn"));
      }
      if (!part.querySelector("[data-goes-on]")) {
        location.reload();
        return;
      }
    } catch {
      let notice = part.querySelector(".house-lost");
      if (!notice) notice = part.appendChild(Object.assign(document.createElement("p"), { className: "house-refusal house-lost" }));
      notice.textContent = part.dataset.lost;
      drawnLast = ""; // so that the notice goes with the next answer
    }
    setTimeout(ask, EVERY_MS);
  }
  setTimeout(ask, EVERY_MS);
})();
