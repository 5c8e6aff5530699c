// Work the office's desk by keyboard: Escape returns to the box, and a form is sent once.
"use strict";
(() => {
  const box = document.getElementById("office-code");
  // The theme's scripts move the focus away from the element with autofocus.
  document.querySelector(".office [autofocus]")?.focus();
  if (document.activeElement === box) box.select();   // a code with an error is given back: a scan replaces it
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
