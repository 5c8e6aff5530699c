// Take the decision of a second person by keyboard: Enter confirms, Delete rejects with a reason, the
// right arrow leaves the proposal for later. Nobody confirms by accident: the button takes a press
// only when the content was shown to its end and a pause has passed in which no key was pressed, so
// that a key that is held and the second press of two do nothing. A page sends one decision.
"use strict";
(() => {
  const PAUSE_MS = 1000;
  const page = document.querySelector("[data-decision]");
  if (!page) return;
  const article = page.querySelector("article");
  const button = page.querySelector("[data-confirm]");
  const reject = page.querySelector("[data-reject]");
  const notice = page.querySelector("[data-notice]");
  let seenToTheEnd = false;
  let sent = false;
  let gone = false; // somebody else decided, or it was withdrawn or lapsed
  let timer = 0;

  const isFree = () => document.activeElement === document.body || document.activeElement === article || document.activeElement === button;

  /** Take no press until the pause has passed from now on. */
  function pause() {
    const hadFocus = document.activeElement === button;
    button.disabled = true;
    if (gone) return;
    if (hadFocus) article.focus({ preventScroll: true });
    notice.textContent = seenToTheEnd ? page.dataset.soon : page.dataset.read;
    clearTimeout(timer);
    if (seenToTheEnd && !sent) timer = setTimeout(take, PAUSE_MS);
  }

  function take() {
    button.disabled = false;
    notice.textContent = page.dataset.now;
    if (isFree()) button.focus({ preventScroll: true });
  }

  function openReason() {
    reject.open = true;
    reject.querySelector("input[name=reason]").focus();
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const presses = event.key === "Enter" || event.key === " ";
    if (presses && event.repeat && event.target === button) event.preventDefault();
    if (presses && (event.repeat || button.disabled)) pause();
    if (event.repeat || !isFree()) return;
    if (event.key === "Enter" && !button.disabled && event.target !== button) button.focus({ preventScroll: true });
    if (event.key === "Delete") {
      event.preventDefault();
      openReason();
    }
    if (event.key === "ArrowRight") page.querySelector("[data-later]").click();
  }, true);
  reject.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    reject.open = false;
    article.focus({ preventScroll: true });
    pause();
  });
  addEventListener("pointerdown", () => { if (button.disabled) pause(); });
  page.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    sent = false;
    pause();
  });

  // The page asks by itself whether it still waits (queue.js). What somebody types is not taken away.
  addEventListener("house:gone", () => {
    gone = true;
    clearTimeout(timer);
    button.disabled = true;
    notice.textContent = "";
    if (isFree()) page.querySelector("[data-later]").focus({ preventScroll: true });
  });

  const bar = page.querySelector(".house-decide");
  const seen = new IntersectionObserver(([end]) => {
    if (!end.isIntersecting) return;
    seenToTheEnd = true;
    seen.disconnect();
    pause();
  }, { rootMargin: `0px 0px -${bar.offsetHeight}px 0px` });
  seen.observe(page.querySelector("[data-end]"));
  if (reject.open) openReason();
  else article.focus({ preventScroll: true });
  pause();
})();
