// What the player sees on the second screen (/terminal/player/), if one is open.

const channel = new BroadcastChannel("terminal.player");
let shown = { kind: "idle" };

channel.addEventListener("message", ({ data }) => { if (data === "what?") channel.postMessage(shown); });

/** `{kind: "idle"}`, or `{kind, tone, title, large, rows: [[label, value]], note}`. */
export function show(what) {
  shown = what;
  channel.postMessage(what);
}

export const clear = () => show({ kind: "idle" });
