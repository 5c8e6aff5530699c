// Choose all rows on this page of a list at once, and say how many are chosen. The form works without it.
"use strict";
(() => {
  const form = document.getElementById("chosen");
  const boxes = [...document.querySelectorAll("input[name=row][form=chosen]")];
  const page = form?.querySelector("[data-page]");
  if (!page || !boxes.length) return;
  const every = page.querySelector("input");
  const all = form.elements.all;
  const count = form.querySelector("[data-count]");

  function tell() {
    const many = boxes.filter((one) => one.checked).length;
    every.checked = many === boxes.length;
    every.indeterminate = many > 0 && many < boxes.length;
    for (const one of [every, ...boxes]) one.disabled = all.checked;
    count.textContent = all.checked || !many ? "" : form.dataset.words.replace("{n}", many);
  }

  page.hidden = false;
  every.addEventListener("change", () => {
    for (const one of boxes) one.checked = every.checked;
    tell();
  });
  for (const one of [all, ...boxes]) one.addEventListener("change", tell);
  addEventListener("pageshow", tell); // a browser may keep what was chosen
})();
