// Count down the seconds that the server gives. The browser's own clock is not used, because the
// time that counts is the database's.
"use strict";
(() => {
  const opened = performance.now();
  const twoDigits = (number) => String(number).padStart(2, "0");
  const tick = () => {
    const elapsedS = Math.floor((performance.now() - opened) / 1000);
    for (const countdown of document.querySelectorAll("[data-seconds-left]")) {
      const leftS = Number(countdown.dataset.secondsLeft) - elapsedS;
      if (leftS < 0) { location.reload(); return; }
      const parts = [Math.floor(leftS / 3600), Math.floor(leftS / 60) % 60, leftS % 60];
      countdown.textContent = parts.map(twoDigits).join(":");
    }
  };
  tick();
  setInterval(tick, 1000);
  setTimeout(() => location.reload(), 60000);
})();
