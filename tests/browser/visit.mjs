// Opens a page in Chromium, uses it as a reader would, and prints what it saw as JSON.
// node visit.mjs PAGE CHROMIUM FOLDER_FOR_SCREENSHOTS
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page, executablePath, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(page).href;
const saw = { errors: [], requests: [], violations: [], wide: [], marks: [] };
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
flags.push("--disable-background-networking", "--disable-component-update", "--disable-sync");
const browser = await chromium.launch({ executablePath, args: flags });

async function open(width, colorScheme) {
  // the page's own policy would keep axe out
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true, acceptDownloads: true, reducedMotion: "reduce" });
  const tab = await context.newPage();
  tab.on("pageerror", (error) => saw.errors.push(error.message));
  tab.on("console", (message) => { if (message.type() === "error") saw.errors.push(message.text()); });
  tab.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("data:")) saw.requests.push(url);
  });
  await tab.goto(address);
  return tab;
}

async function look(tab, name) {
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) {
    const over = await tab.evaluate(() => [...document.querySelectorAll("main *")].filter((one) => !one.closest(".scroll") && one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML.slice(0, 150)));
    saw.wide.push(`${name}: ${wide} pixels too wide: ${over.slice(0, 3).join(" ")}`);
  }
  await tab.evaluate(axe);
  const found = await tab.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  for (const one of found.violations) {
    for (const node of one.nodes) saw.violations.push(`${name}: ${one.id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`);
  }
  await tab.screenshot({ path: `${shots}/${name}.png` });
}

const tab = await open(1280, "light");
// papers that were not run are folded away
await tab.locator("details.folded").evaluateAll((all) => all.forEach((one) => { one.open = true; }));
const tip = tab.locator("#tip");
await tab.screenshot({ path: `${shots}/top-1280-light.png` });

// marks: by the pointer, by the keyboard, and where they lead
const marks = tab.locator(".map a");
saw.count = await marks.count();
const withOurs = await tab.locator(".map a[data-e]").evaluateAll((cells) => cells.map((cell) => [...document.querySelectorAll(".map a")].indexOf(cell)));
const some = withOurs.filter((_, i) => i % Math.ceil(withOurs.length / 12) === 0);
for (const i of [0, saw.count - 1, ...some]) {
  const mark = marks.nth(i);
  await mark.scrollIntoViewIfNeeded();
  await tab.mouse.move(0, 0);
  const before = await tip.isVisible();
  await mark.hover();
  const text = await tip.innerText();
  await tab.keyboard.press("Escape");
  const after = await tip.isVisible();
  await mark.focus();
  const focused = await tip.innerText();
  await mark.click();
  const target = await tab.evaluate(() => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    return { text: found?.innerText ?? null, tag: found?.tagName ?? null, visible: found?.checkVisibility() ?? false };
  });
  saw.marks.push({ i, label: await mark.getAttribute("aria-label"), before, after, text, focused, target });
}
await marks.nth(0).focus();
await tab.keyboard.press("ArrowRight");
saw.arrow = await tab.evaluate(() => [...document.querySelectorAll(".map a")].indexOf(document.activeElement));
saw.stops = await tab.locator('.map a[tabindex="0"]').count();
saw.blocks = await tab.locator(".map").count();

// one status only
await tab.locator(".chip").nth(0).click();
saw.only = await tab.locator(".map a").evaluateAll((cells) => [...new Set(cells.filter((cell) => getComputedStyle(cell).opacity === "1").map((cell) => cell.className))]);
await tab.locator(".chip").nth(0).click();

// everything folded opens; every figure can be seen
saw.experiments = await tab.locator("#experiments details.experiment").count();
if (saw.experiments) await tab.locator("#unfold").click();
await tab.evaluate(() => { for (const part of document.querySelectorAll("details")) part.open = true; });
saw.figures = await tab.locator('svg[role="img"]:not(.glyph)').evaluateAll((all) => all.map((one) => {
  const box = one.getBoundingClientRect();
  return { name: one.getAttribute("aria-label"), visible: one.checkVisibility() && box.width > 100 && box.height > 50, drawn: one.querySelectorAll("path").length };
}));

// tables: sorted up, down and as they were; printed figures on and off
const table = tab.locator("table.data:has(tbody tr:nth-child(3))").first();
const head = table.locator("thead th").nth(1);
const column = () => table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.cells[1].dataset.v ?? null));
saw.sorted = [];
if (saw.experiments && (await head.count())) {
  saw.sorted.push({ sign: null, values: await column() });
  for (let i = 0; i < 3; i += 1) {
    await head.locator("button").click();
    saw.sorted.push({ sign: await head.getAttribute("aria-sort"), values: await column() });
  }
  const printed = tab.locator("table.data td .p");
  const shown = async () => (await printed.count()) > 0 && (await printed.first().isVisible());
  saw.compare = [await shown()];
  for (let i = 0; i < 2; i += 1) { await tab.locator("#compare").click(); saw.compare.push(await shown()); }
  await tab.locator("#find").fill("no such experiment");
  saw.found = await tab.locator("#experiments details.experiment:visible").count();
  await tab.locator("#find").fill("");
}

// configs come as files
saw.downloads = {};
for (const link of await tab.locator("a[download]").all()) {
  const [file] = await Promise.all([tab.waitForEvent("download"), link.click()]);
  saw.downloads[file.suggestedFilename()] = readFileSync(await file.path(), "utf8");
}
await look(tab, "all-1280-light");

// dark by the switch, which is kept
const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
saw.ground = [await ground()];
await tab.locator("#theme").click();
saw.ground.push(await ground());
await tab.goto("about:blank");
await tab.goto(address);
saw.ground.push(await ground());
await tab.screenshot({ path: `${shots}/top-1280-dark.png` });

// a phone in the dark, everything open; and paper
const phone = await open(390, "dark");
await phone.screenshot({ path: `${shots}/top-390-dark.png` });
await phone.evaluate(() => { for (const part of document.querySelectorAll("details")) part.open = true; });
await look(phone, "all-390-dark");
const printed = await open(1280, "dark");
await printed.pdf({ path: `${shots}/page.pdf`, format: "A4" });
await browser.close();
console.log(JSON.stringify(saw));
