import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Smtp from '../../src/adapters/mail/smtp.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Message } from '../../src/mailbox/message.ts';
import * as Mailbox from '../../src/mailbox/server.ts';

let mailbox: Mailbox.Running;
const reports: unknown[] = [];
beforeAll(async () => {
  mailbox = await Mailbox.start({ host: '127.0.0.1', port: 0, smtpPort: 0 }, systemClock);
});
afterAll(() => mailbox.close());

const from = 'Shop <shop@shop.example>';
const report = (...said: unknown[]) => void reports.push(said);
const mailer = (url: string) => Smtp.open({ url, from, report });

async function mailsTo(to: string): Promise<Message[]> {
  const answer = await fetch(`${mailbox.url}/mails?to=${encodeURIComponent(to)}`);
  return ((await answer.json()) as { mails: Message[] }).mails;
}

test('shows what was sent, whatever its letters', async () => {
  const texts = [
    'Six digits: 012 345\n',
    'naïve café – 价格 = 100 %\n'.repeat(40),
    `${'long '.repeat(300)}\n.dot\n..\n`,
  ];
  for (const [at, text] of texts.entries()) {
    const to = `ann${at}@person.example`;
    expect(await mailer(mailbox.smtpUrl).send({ to, subject: `Your code – ${at}`, text })).toBe('sent');
    const [mail] = await mailsTo(to);
    expect(mail).toMatchObject({ from: 'shop@shop.example', to: [to], subject: `Your code – ${at}` });
    expect(mail?.text.trimEnd()).toBe(text.trimEnd());
  }
});

test('shows a stranger’s markup as text', async () => {
  await mailer(mailbox.smtpUrl).send({
    to: 'x@person.example',
    subject: '<img src=x>',
    text: '<script>alert(1)</script>',
  });
  const page = await fetch(`${mailbox.url}/`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).toContain('&#60;script&#62;alert(1)');
  expect(html).not.toContain('<script>alert');
  expect(html).not.toContain('<img');
});

test('keeps the last hundred', async () => {
  for (let at = 0; at < 105; at++)
    await mailer(mailbox.smtpUrl).send({ to: `many${at}@person.example`, subject: 's', text: 't' });
  expect(await mailsTo('many4@person.example')).toHaveLength(0);
  expect(await mailsTo('many5@person.example')).toHaveLength(1);
});

test.each(['GET //', 'GET /elsewhere', 'POST /mails'])('answers %s with 404, and lives', async (asked) => {
  const [method = '', path = ''] = asked.split(' ');
  const { port } = new URL(mailbox.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  let said = '';
  for await (const chunk of socket) said += chunk;
  expect(said).toMatch(/^HTTP\/1.1 404/);
  expect((await fetch(mailbox.url)).status).toBe(200);
});

test('a server that is away, silent or without TLS is away within a bound, and no address is reported', async () => {
  reports.length = 0;
  const mail = { to: 'secret.person@person.example', subject: 's', text: 'code 123456' };
  expect(await mailer('smtp://127.0.0.1:9').send(mail)).toBe('away');
  expect(reports).toHaveLength(1);
  expect(JSON.stringify(reports)).not.toMatch(/secret|123456/);
});

test('an address that the server does not take is refused, which says nothing of us', async () => {
  const { SMTPServer } = await import('smtp-server');
  const strict = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: (_, __, done) => done(Object.assign(new Error('no such user here'), { responseCode: 550 })),
  });
  const listening = strict.listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  const { port } = listening.address() as { port: number };
  reports.length = 0;
  const mail = { to: 'nobody@person.example', subject: 's', text: 't' };
  expect(await mailer(`smtp://127.0.0.1:${port}`).send(mail)).toBe('refused');
  expect(JSON.stringify(reports)).not.toContain('nobody');
  await new Promise<void>((resolve) => strict.close(() => resolve()));
});
