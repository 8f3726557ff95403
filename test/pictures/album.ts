import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
const size = `(({ scrollHeight, scrollWidth, clientWidth }) => ({ height: scrollHeight, wide: scrollWidth - clientWidth }))(document.documentElement)`;
const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** The folder for pictures: PICTURES, or test/screenshots/album. */
const folder = resolve(process.env.PICTURES ?? 'test/screenshots/album');

/**
 * Takes three pictures of a page as it is: desktop and phone in light, desktop in dark. They are named `<group>-<state>-desktop.png`,
 * `-phone.png` and `-dark.png`. A line in `index.tsv` holds the group, state, address, title, heights in pixels, what is wider than
 * the screen, and what axe found. With PICTURES_MISSING it takes only what the folder does not have.
 */
export async function take(page: Page, group: string, state: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = nameOf(group, state);
  if (process.env.PICTURES_MISSING !== undefined && existsSync(`${folder}/${name}-desktop.png`)) return;
  const before = page.viewportSize() ?? desktop;
  const heights: number[] = [];
  const problems: string[] = [];
  for (const [screen, viewport, colorScheme] of [
    ['dark', desktop, 'dark'],
    ['phone', phone, 'light'],
    ['desktop', desktop, 'light'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}-${screen}.png`, fullPage: true });
    const { height, wide } = await page.evaluate<{ height: number; wide: number }>(size);
    heights.push(height);
    if (wide > 0) problems.push(`${screen}: ${wide} px wider than the screen`);
    problems.push(...(await violations(page)).map((found) => `${screen}: ${found}`));
  }
  await page.setViewportSize(before);
  const line = [
    group,
    state,
    name,
    new URL(page.url()).pathname,
    await page.title(),
    heights.join('/'),
    problems.join('; '),
  ];
  appendFileSync(`${folder}/index.tsv`, `${line.map((cell) => cell.replace(/\s+/g, ' ')).join('\t')}\n`);
}

const nameOf = (group: string, state: string) =>
  `${group}-${state}`.replace(/[^a-z0-9]+/gi, '-').toLowerCase();

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules });
  return page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 120)))`,
  );
}
