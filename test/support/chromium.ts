import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The screen sizes that pages are tested with. `look` sees each in light and dark. */
export const screens = {
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  desktop: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
} as const;
export type Screen = keyof typeof screens;

/** Starts a real Chromium without a display. */
export async function launch(): Promise<Browser> {
  await mkdir(screenshots, { recursive: true });
  const args = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];
  return chromium.launch({ executablePath, args });
}

/** Dark mode changes colours alone, so these rules are enough for it. */
const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const allRules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Takes screenshots in light and dark, checks that nothing is wider than the screen, and runs axe (WCAG 2.2 A and AA). */
export async function look(page: Page, name: string, screen: Screen): Promise<void> {
  await page.evaluate(axe);
  for (const [colorScheme, runOnly] of [
    ['dark', colourRules],
    ['light', allRules],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${screenshots}${name}-${screen}-${colorScheme}.png`, fullPage: true });
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wide)).toBe(0);
    const found: string[] =
      await page.evaluate(`axe.run(document, { resultTypes: ['violations'], runOnly: ${JSON.stringify(runOnly)} })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
    expect(found).toEqual([]);
  }
}
