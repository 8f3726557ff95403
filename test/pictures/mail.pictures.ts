import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { render } from '../../packages/dev-mailbox/src/page.ts';
import { english } from '../../src/text/texts.ts';
import { launch } from '../support/chromium.ts';
import { everyMail, everyPage } from '../text/every-page.ts';
import { take } from './album.ts';

let page: Page;
beforeAll(async () => {
  const browser = await launch();
  page = await browser.newPage();
  return () => browser.close();
});

/** Shows a document that does not load itself again. */
const show = (html: string) => page.setContent(html.replace(/[‹›]/g, ''));

test('each kind of letter, as the mailbox of a test shop shows it', async () => {
  await show(render([], null, []));
  await take(page, 'Mailbox (sandbox)', 'empty');
  for (const [at, [name, { subject, text, to }]] of everyMail(english).entries()) {
    const message = {
      number: at,
      receivedAt: '2030-01-31T12:00:00.000Z',
      from: 'shop@shop.example',
      to: [to],
    };
    await show(render([{ ...message, subject, text }], null, []));
    await take(page, 'Mail', name);
  }
}, 400_000);

/** Pages that no visitor reaches by steps of a few seconds, with the group that they belong to. */
const rare: Readonly<Record<string, readonly string[]>> = {
  'Payment pages': ['frozen', 'slow', 'elsewhere', 'pending', 'cancelled without a purchase'],
  Receipt: ['receipt of a top-up', 'receipt of a stablecoin', 'receipt of a call'],
  'Auto top-up': [
    'consent expired',
    'consent offered, due',
    'consent agreed, due',
    'consent paused',
    'card unknown',
  ],
  'Change of plan': ['cancel what rolls over', 'change to a dearer plan, true'],
  'Plan of a payer': [
    'cancel as the payer of an unpaid plan',
    'plan without a known price',
    'plan that changes',
  ],
  'Error pages': ['error 402', 'error 403', 'error 410', 'error 429', 'error 500', 'error 503'],
};

test('pages that are rare', async () => {
  const pages = new Map(await everyPage(english));
  for (const [group, names] of Object.entries(rare))
    for (const name of names) {
      const html = pages.get(name);
      expect(html, name).toBeDefined();
      await show(html ?? '');
      await take(page, group, `${name}, made-up facts`);
    }
}, 400_000);
