import { connect } from 'node:net';
import { systemClock } from '@sluice/kernel/clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMailer } from '../../../src/adapters/mail/smtp.ts';
import type { Message } from '../src/message.ts';
import * as Mailbox from '../src/server.ts';

let mailbox: Mailbox.Running;
const reports: unknown[] = [];
beforeAll(async () => {
  mailbox = await Mailbox.start({ host: '127.0.0.1', port: 0, smtpPort: 0 }, systemClock);
});
afterAll(() => mailbox.close());

const from = 'Shop <shop@shop.example>';
const report = (...said: unknown[]) => void reports.push(said);
const waits = { connectMs: 1_000, greetingMs: 1_000, silenceMs: 1_000 };
const mailer = (url: string) => openMailer({ url, from, name: 'shop.example', report, waits });

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
    expect(await mailer(mailbox.smtpUrl).send({ to, subject: `Your code – ${at}`, text }, `k${at}`)).toBe(
      'sent',
    );
    const [mail] = await mailsTo(to);
    expect(mail).toMatchObject({ from: 'shop@shop.example', to: [to], subject: `Your code – ${at}` });
    expect(mail?.text.trimEnd()).toBe(text.trimEnd());
  }
});

test('shows a stranger’s markup as text', async () => {
  const mail = { to: 'x@person.example', subject: '<img src=x>', text: '<script>alert(1)</script>' };
  await mailer(mailbox.smtpUrl).send(mail, 'markup');
  const page = await fetch(`${mailbox.url}/`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).toContain('&#60;script&#62;alert(1)');
  expect(html).not.toContain('<script>alert');
  expect(html).not.toContain('<img');
});

test('keeps the last hundred', async () => {
  for (let at = 0; at < 105; at++)
    await mailer(mailbox.smtpUrl).send({ to: `many${at}@person.example`, subject: 's', text: 't' }, `${at}`);
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
  expect(await mailer('smtp://127.0.0.1:9').send(mail, 'k')).toBe('away');
  expect(reports).toHaveLength(1);
  expect(JSON.stringify(reports)).not.toMatch(/secret|123456/);
});

type Strict = { rcpt?: Error; data?: Error; isMute?: boolean };
const fault = (text: string, responseCode: number) => Object.assign(new Error(text), { responseCode });
const mail = { to: 'nobody@person.example', subject: 's', text: 't' };

/** Starts an SMTP server that rejects mail as configured, and records the greeting of its client. */
async function strict({ rcpt, data, isMute }: Strict) {
  const { SMTPServer } = await import('smtp-server');
  const names: string[] = [];
  const texts: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onMailFrom: (_, { hostNameAppearsAs }, done) => {
      names.push(String(hostNameAppearsAs));
      done();
    },
    onRcptTo: (_, __, done) => done(rcpt),
    onData(stream, _, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        texts.push(text);
        if (!isMute) done(data);
      });
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  const { port } = listening.address() as { port: number };
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `smtp://127.0.0.1:${port}`, names, texts, close };
}

test.each([
  ['550 without an enhanced code', fault('no such user here', 550), 'refused'],
  ['5.1.1, no such mailbox', fault('5.1.1 no such user', 550), 'refused'],
  ['5.2.2, mailbox full', fault('5.2.2 over quota', 552), 'refused'],
  ['5.7.1, relaying denied', fault('5.7.1 relay access denied', 554), 'rejected'],
  ['5.7.1 under the status of a missing mailbox', fault('5.7.1 sender not authorised', 550), 'rejected'],
  ['5.1.8, our own domain is bad', fault('5.1.8 sender domain not found', 550), 'rejected'],
  ['554 without an enhanced code', fault('rejected by policy', 554), 'rejected'],
  ['4.7.0, greylisted', fault('4.7.0 try again later', 450), 'away'],
] as const)('a recipient that is turned down with %s', async (_, rcpt, posted) => {
  const server = await strict({ rcpt });
  reports.length = 0;
  expect(await mailer(server.url).send(mail, 'k')).toBe(posted);
  expect(reports).toMatchObject([
    [
      { refused: 'mail_refused', rejected: 'mail_rejected', away: 'mail_failed' }[posted],
      { command: 'RCPT TO' },
    ],
  ]);
  expect(JSON.stringify(reports)).not.toContain('nobody');
  await server.close();
});

test('a text that is turned down is our own fault', async () => {
  const server = await strict({ data: fault('5.7.26 unauthenticated sender', 550) });
  expect(await mailer(server.url).send(mail, 'k')).toBe('rejected');
  await server.close();
});

test('a server that never accepts the end of a message is away within the bound', async () => {
  const server = await strict({ isMute: true });
  expect(await mailer(server.url).send(mail, 'k')).toBe('away');
  await server.close();
});

test('greets with the host of the shop, and a repetition has the same Message-ID', async () => {
  const server = await strict({});
  for (const key of ['one', 'one', 'two']) expect(await mailer(server.url).send(mail, key)).toBe('sent');
  expect(new Set(server.names)).toEqual(new Set(['shop.example']));
  const ids = server.texts.map((text) => /^Message-ID: (<\w+@shop\.example>)\r$/im.exec(text)?.[1]);
  expect(ids[0]).toBeDefined();
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
  await server.close();
});
