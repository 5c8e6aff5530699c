// Offer below a field what the server finds for the words typed so far; the field works without it.
"use strict";
(() => {
  const WAIT_MS = 200;

  /** Return the texts found for what is typed; none without a connection. */
  async function textsFor(field) {
    const address = `${field.dataset.typeahead}&term=${encodeURIComponent(field.value)}`;
    try {
      const answer = await fetch(address, { redirect: "error" });
      return answer.ok ? (await answer.json()).results.map((one) => one.text) : [];
    } catch {
      return [];
    }
  }

  for (const field of document.querySelectorAll("input[data-typeahead]")) {
    const list = document.createElement("datalist");
    list.id = `${field.id}_found`;
    field.after(list);
    field.setAttribute("list", list.id);
    let timer = 0;
    let asked = 0;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const turn = ++asked;
        const texts = await textsFor(field);
        if (turn !== asked) return; // a newer one is on its way
        list.replaceChildren(...texts.map((text) => Object.assign(document.createElement("option"), { value: text })));
      }, WAIT_MS);
    });
  }
})();
