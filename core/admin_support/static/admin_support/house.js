// What the theme leaves to the mouse: a keyboard scrolls what is wider than its place, and presses
// the icons that hide and show the side bar. A page that draws a part anew says "house:drawn".
"use strict";
(() => {
  function reach() {
    // One landmark of a name is enough: what scrolls needs none.
    for (const each of document.querySelectorAll(".simplebar-content-wrapper")) each.setAttribute("role", "group");
    for (const each of document.querySelectorAll(".house-panel, .house-refusal, .house-scroll, .readonly")) {
      if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
      else each.removeAttribute("tabindex");
    }
  }

  function name() {
    const header = document.querySelector("header[data-toggle]");
    for (const icon of header?.querySelectorAll("span[x-on\\:click]") ?? []) {
      icon.setAttribute("role", "button");
      icon.setAttribute("aria-label", header.dataset.toggle);
      icon.tabIndex = 0;
      icon.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        icon.click();
      });
    }
  }

  addEventListener("DOMContentLoaded", () => { name(); reach(); });
  for (const event of ["load", "resize", "house:drawn"]) addEventListener(event, reach);
})();
