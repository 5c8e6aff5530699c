// Let Lighthouse look at pages in a browser that runs already, and print their scores as JSON.
//   node lighthouse.mjs PACKAGES PORT REPORTS < pages.json
// A page is {name, url, form, turns}: `form` is "mobile" or "desktop"; the one with "signed_on" is
// opened in the window that is open. Of the turns, the one with the middle performance counts.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, port, reports] = process.argv.slice(2);
const { resolve } = createRequire(join(packages, "package.json"));
const { default: lighthouse, desktopConfig } = await import(pathToFileURL(resolve("lighthouse")));
const { default: puppeteer } = await import(pathToFileURL(resolve("puppeteer-core")));
const browser = await puppeteer.connect({ browserURL: `http://127.0.0.1:${port}`, defaultViewport: null });

async function looked({ url, form, signed_on }) {
  const flags = {
    port: Number(port),
    output: "html",
    logLevel: "error",
    onlyCategories: ["performance", "accessibility", "best-practices"],
    disableStorageReset: signed_on,  // it would take the terminal's enrolment away
  };
  const [window] = await browser.pages();
  const config = form === "desktop" ? desktopConfig : undefined;
  return lighthouse(url, flags, config, signed_on ? window : undefined);
}

function told({ lhr }) {
  const failed = Object.values(lhr.categories).flatMap(({ auditRefs }) => auditRefs
    .filter(({ id, weight }) => weight && lhr.audits[id].score !== null && lhr.audits[id].score < 0.9)
    .map(({ id }) => `${id} ${lhr.audits[id].displayValue ?? ""}`.trim()));
  const scores = Object.entries(lhr.categories)
    .map(([name, { score }]) => [name, score === null ? null : Math.round(100 * score)]);
  const speed = lhr.environment.benchmarkIndex;
  return { scores: Object.fromEntries(scores), failed, speed, error: lhr.runtimeError?.message ?? "" };
}

const found = [];
for (const page of JSON.parse(readFileSync(0, "utf-8"))) {
  const turns = [];
  for (let turn = 0; turn < page.turns; turn += 1) turns.push(await looked(page));
  turns.sort((a, b) => a.lhr.categories.performance.score - b.lhr.categories.performance.score);
  const middle = turns[Math.floor(turns.length / 2)];
  writeFileSync(join(reports, `${page.name}.html`), middle.report);
  found.push({ name: page.name, ...told(middle) });
}
process.stdout.write(JSON.stringify(found));
await browser.disconnect();
