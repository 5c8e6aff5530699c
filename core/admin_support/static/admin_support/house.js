// Make the theme usable by keyboard: wide tables can be focused and scrolled, and the icons that hide
// and show the side bar can be pressed. A page that redraws a part sends the event "house:drawn".
// Say beside *Today*, and in the tab's title, how much waits for the person.
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
      icon.setAttribute("aria-label", header.dataset.toggle);
      makeButton(icon);
    }
    // The button of a list's filters. Its sheet stands at the end of the page: the focus goes there and comes back.
    for (const opener of document.querySelectorAll("main a[x-on\\:click]:not([href])")) {
      makeButton(opener);
      if (!opener.getAttribute("x-on:click").includes("filterOpen")) continue;
      const sheet = document.getElementById("changelist-filter");
      opener.addEventListener("click", () => setTimeout(() => sheet?.querySelector("a[href]")?.focus()));
      sheet?.addEventListener("keydown", (event) => { if (event.key === "Escape") setTimeout(() => opener.focus()); });
    }
  }

  function makeButton(element) {
    element.setAttribute("role", "button");
    element.tabIndex = 0;
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      element.click();
    });
  }

  function showWaiting(number) {
    const today = document.querySelector("#nav-sidebar a[data-waiting]");
    if (!today) return;
    today.querySelector(".house-count")?.remove();
    document.title = document.title.replace(/^\(\d+\) /, "");
    if (!number) return;
    const count = document.createElement("span");
    count.className = "house-count";
    count.textContent = number;
    today.append(count);
    document.title = `(${number}) ${document.title}`;
  }

  // This neither keeps a person signed on nor gives the browser a session again: an answer that comes
  // late would take the place of the session of who signed on meanwhile.
  async function askWaiting() {
    const address = document.querySelector("#nav-sidebar a[data-waiting]")?.dataset.waiting;
    if (!address) return;
    const headers = { "X-By-Itself": "1" };
    const answer = await fetch(address, { headers, redirect: "error" }).catch(() => null);
    if (answer?.ok) showWaiting((await answer.json()).waiting);
  }

  // Ctrl-K, wherever the focus is. Where the side bar is hidden the box has a page of its own.
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const boxes = [...document.querySelectorAll(".house-search input")];
    if (!boxes.length) return;
    event.preventDefault();
    const box = boxes.find((one) => one.offsetParent !== null);
    if (box) box.select();
    else location.assign(boxes[0].form.action);
  });

  addEventListener("load", () => {
    askWaiting();
    setInterval(askWaiting, 60000);
  });
  // An icon is written as a word, which screen readers would read out. One that is all that a button
  // or a link has stays, as its name.
  function hushIcons() {
    const header = document.querySelector("header[data-search]");
    document.getElementById("searchbar-submit")?.setAttribute("aria-label", header.dataset.search);
    for (const icon of document.querySelectorAll(".material-symbols-outlined:not([role])")) {
      const pressed = icon.closest("a, button");
      const alone = pressed && pressed.textContent.trim() === icon.textContent.trim();
      if (!alone || pressed.hasAttribute("aria-label")) icon.setAttribute("aria-hidden", "true");
    }
  }

  // The theme's tables have no captions. Each is named as the part of the page in which it stands.
  function captionTables() {
    for (const table of document.querySelectorAll("main table")) {
      if (table.caption || table.closest("td")) continue;
      const part = table.closest("section, fieldset, [data-inline-type], details");
      const title = part?.querySelector("h2, h3, legend, summary");
      const texts = title && [...title.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE
        || one.nodeType === Node.ELEMENT_NODE && !one.matches("a, .desk-acts, .material-symbols-outlined"));
      const page = document.title.replace(/^\(\d+\) /, "").split(" | ")[0];
      const text = (texts?.map((one) => one.textContent).join(" ") ?? page).trim();
      if (!text) continue;
      const caption = table.createCaption();
      caption.className = "house-unseen";
      caption.textContent = text.replace(/\s+/g, " ");
    }
  }

  addEventListener("DOMContentLoaded", () => { makeIconsButtons(); makeScrollable(); hushIcons(); captionTables(); });
  for (const event of ["load", "resize", "house:drawn"]) addEventListener(event, makeScrollable);
  for (const event of ["house:drawn", "htmx:afterSettle"]) addEventListener(event, () => { hushIcons(); captionTables(); });
})();
