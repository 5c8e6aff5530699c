// Send content to the player's screen (/terminal/player/), if one is open.

const channel = new BroadcastChannel("terminal.player");
let content = { kind: "idle" };
let touched = null;   // while a play is mirrored: presses its button of this number

channel.addEventListener("message", ({ data }) => {
  if (data === "resend") channel.postMessage(content);
  else if ("touched" in data && content.kind === "stage") touched?.(data.touched);
});

/** Show `{kind: "idle"}`, `{kind, tone, title, large, rows: [[label, value]], note}`, `{kind, game, ...}`,
 *  which the game's own module draws, or `{kind: "stage", title, markup}`: a play as the till shows it. */
export function show(newContent) {
  content = newContent;
  channel.postMessage(content);
}

/** Mirror a play: `root` is what the till shows of it, and the player touches its buttons there. Return
 *  the function that shows it as it is now. */
export function mirror(title, root) {
  const now = () => {
    show({ kind: "stage", title, markup: root.outerHTML });
    touched = (index) => root.querySelectorAll("button")[index]?.click();
  };
  now();
  return now;
}

export const clear = () => show({ kind: "idle" });
