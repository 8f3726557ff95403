import { systemClock } from '@sluice/kernel/clock';
import { expect, test } from 'vitest';
import { openMailer } from '../../../src/adapters/mail/smtp.ts';
import { launch } from '../../../test/support/chromium.ts';
import * as Mailbox from '../src/server.ts';

test('new mail appears by itself, and a letter that is being read stays open', async () => {
  const mailbox = await Mailbox.start({ host: '127.0.0.1', port: 0, smtpPort: 0 }, systemClock);
  const waits = { connectMs: 1_000, greetingMs: 1_000, silenceMs: 1_000 };
  const from = 'Shop <shop@shop.example>';
  const mailer = openMailer({ url: mailbox.smtpUrl, from, name: 'shop.example', report: () => {}, waits });
  const send = (subject: string, to = 'ann@example.com') =>
    mailer.send({ to, subject, text: `Text of ${subject}` }, subject);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(mailbox.url);
    await page.getByText('No mail yet.').waitFor();
    for (const subject of ['First', 'Second']) await send(subject);
    await page.getByText('Text of Second').waitFor();
    expect(await page.getByText('No mail yet.').count()).toBe(0);
    await page.getByRole('heading', { name: 'First' }).click();
    await page.getByText('Text of First').waitFor();
    await send('Third', 'bob@example.com');
    await page.getByRole('heading', { name: 'Third' }).waitFor();
    expect(await page.getByText('Text of First').isVisible()).toBe(true);
    expect(await page.getByText('Text of Third').isVisible()).toBe(false);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Third',
      'Second',
      'First',
    ]);
    // The second recipient brings the choice of one.
    expect(await page.getByLabel('Recipient').isVisible()).toBe(true);
    expect(errors.filter((one) => !one.includes('favicon'))).toEqual([]);
  } finally {
    await browser.close();
    await mailbox.close();
  }
});
