import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The screen sizes that pages are tested with. */
export const screens = {
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  'desktop-light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
} as const;
export type Screen = keyof typeof screens;

/** Starts a real Chromium without a display. */
export async function launch(): Promise<Browser> {
  await mkdir(screenshots, { recursive: true });
  const args = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];
  return chromium.launch({ executablePath, args });
}

/** Takes a screenshot, checks that nothing is wider than the screen, and runs axe (WCAG 2.2 A and AA). */
export async function look(page: Page, name: string, screen: Screen): Promise<void> {
  await page.screenshot({ path: `${screenshots}${name}-${screen}.png`, fullPage: true });
  const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(wide)).toBe(0);
  await page.evaluate(axe);
  const found: string[] =
    await page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
  expect(found).toEqual([]);
}
