import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

/**
 * Measures the pages of a running shop as Lighthouse does: requests, bytes as they are sent, the largest contentful paint, the layout
 * shift, and the violations that axe finds, on a phone and a desktop. `node bench/pages.ts --url http://localhost:4020`.
 */
const usage = 'node bench/pages.ts [--url http://localhost:4020] [--chromium /usr/bin/chromium] [PATH ...]';
const paths = [
  '/',
  '/docs',
  '/docs/people-search',
  '/docs/storefront',
  '/shop/request/people-search',
  '/nope',
];
const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };
/** A slow phone connection: 1.6 Mbit/s and 150 ms, as Lighthouse simulates it. */
const slow = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const observe = `new Promise((done) => {
  const found = { lcp: 0, cls: 0 };
  new PerformanceObserver((list) => { for (const it of list.getEntries()) found.lcp = it.startTime }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const it of list.getEntries()) found.cls += it.value }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done({ ...found, height: document.documentElement.scrollHeight }), 500);
})`;

const { values, positionals } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:4020' },
    chromium: { type: 'string', default: process.env.CHROMIUM ?? '/usr/bin/chromium' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.help) console.log(usage);
else await measure(positionals.length > 0 ? positionals : paths);

async function measure(pages: readonly string[]): Promise<void> {
  const browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox'] });
  console.log(
    '| Page | Screen | Requests | KB sent | LCP ms | CLS | Height px | axe |\n|---|---|---|---|---|---|---|---|',
  );
  for (const path of pages)
    for (const [screen, viewport] of Object.entries(screens)) {
      const context = await browser.newContext({ viewport, bypassCSP: true });
      const page = await context.newPage();
      const devTools = await context.newCDPSession(page);
      await devTools.send('Network.enable');
      if (screen === 'phone') await devTools.send('Network.emulateNetworkConditions', slow);
      let requests = 0;
      let bytes = 0;
      devTools.on('Network.requestWillBeSent', () => (requests += 1));
      devTools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
      await page.goto(values.url + path, { waitUntil: 'load' });
      const { lcp, cls, height } = (await page.evaluate(observe)) as Record<'lcp' | 'cls' | 'height', number>;
      await page.evaluate(axe);
      const violations = await page.evaluate(
        `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((found) => found.violations.length)`,
      );
      const cells = [
        path,
        screen,
        requests,
        (bytes / 1024).toFixed(1),
        Math.round(lcp),
        cls.toFixed(3),
        height,
        violations,
      ];
      console.log(`| ${cells.join(' | ')} |`);
      await context.close();
    }
  await browser.close();
}
