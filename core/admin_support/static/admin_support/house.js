// Make the theme usable by keyboard: wide tables can be focused and scrolled, and the icons that hide
// and show the side bar can be pressed. A page that redraws a part sends the event "house:drawn".
"use strict";
(() => {
  function makeScrollable() {
    // The theme makes each of these a region, and regions of the same name confuse screen readers.
    for (const wrapper of document.querySelectorAll(".simplebar-content-wrapper")) wrapper.setAttribute("role", "group");
    for (const box of document.querySelectorAll(".house-panel, .house-refusal, .house-scroll, .readonly")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  function makeIconsButtons() {
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

  addEventListener("DOMContentLoaded", () => { makeIconsButtons(); makeScrollable(); });
  for (const event of ["load", "resize", "house:drawn"]) addEventListener(event, makeScrollable);
})();
