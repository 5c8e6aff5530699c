// Send content to the player's screen (/terminal/player/), if one is open.

const channel = new BroadcastChannel("terminal.player");
let content = { kind: "idle" };

channel.addEventListener("message", ({ data }) => { if (data === "resend") channel.postMessage(content); });

/** Show `{kind: "idle"}`, or `{kind, tone, title, large, rows: [[label, value]], note}`. */
export function show(newContent) {
  content = newContent;
  channel.postMessage(content);
}

export const clear = () => show({ kind: "idle" });
