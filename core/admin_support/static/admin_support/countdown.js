// Counts down what the server says is left, in seconds: the clock is the database's, not this one.
"use strict";
(() => {
  const opened = performance.now();
  const two = (n) => String(n).padStart(2, "0");
  const tick = () => {
    const gone = Math.floor((performance.now() - opened) / 1000);
    for (const shown of document.querySelectorAll("[data-seconds-left]")) {
      const left = Number(shown.dataset.secondsLeft) - gone;
      if (left < 0) { location.reload(); return; }
      shown.textContent = `${two(Math.floor(left / 3600))}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    }
  };
  tick();
  setInterval(tick, 1000);
  setTimeout(() => location.reload(), 60000);
})();
