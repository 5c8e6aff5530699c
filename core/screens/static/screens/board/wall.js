// Show the wall: one scene at a time, which the sections offer, filling the screen. Scenes are drawn
// again every second from what is known; the page changes only when that differs. The right arrow key
// goes on to the next scene.

import { left } from "../base/format.js";

/** Return the function that shows the scene of an instant in `place`. A section's `scenes(at)` are
 *  [{key, seconds, pinned, draw}]; while any is `pinned`, only such are shown. */
export function wall(place, sections) {
  let current = null, ends = 0, drawn = "";

  function sceneOf(at) {
    const all = sections.flatMap((section) => section.view.scenes(at));
    const scenes = all.some((scene) => scene.pinned) ? all.filter((scene) => scene.pinned) : all;
    const index = scenes.findIndex((scene) => scene.key === current);
    if (index >= 0 && at < ends) return scenes[index];
    const next = scenes[(index + 1) % scenes.length];
    if (next) ends = at + next.seconds * 1000;
    return next;
  }

  document.addEventListener("keydown", ({ key }) => { if (key === "ArrowRight") ends = 0; });

  return (at) => {
    const scene = sceneOf(at);
    if (!scene) return;
    const element = scene.draw(at);
    if (scene.key !== current) element.classList.add("entering");
    const markup = element.outerHTML.replace(" entering", "");
    if (scene.key !== current || markup !== drawn) place.replaceChildren(element);
    current = scene.key;
    drawn = markup;
    for (const each of place.querySelectorAll("[data-until]")) each.textContent = left(Number(each.dataset.until) - at);
  };
}
