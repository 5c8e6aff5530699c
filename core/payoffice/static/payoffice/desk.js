// The office's desk by keyboard: Escape goes back to the box, and what is submitted is sent once.
"use strict";
(() => {
  const box = document.getElementById("office-code");
  // The theme's own scripts take the focus away from what the page gave it to.
  document.querySelector(".office [autofocus]")?.focus();
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    box.value = "";
    box.focus();
  });
  for (const form of document.querySelectorAll(".office form")) {
    form.addEventListener("submit", () => {
      for (const button of form.querySelectorAll("button")) button.disabled = true;
    });
  }
})();
