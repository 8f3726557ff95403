import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mostly, type Recipients, type Script } from './mail-server.ts';
import * as MailWorld from './mail-world.ts';

const noSuchUser = { code: 550, text: '5.1.1 no such user' };
const only =
  (...users: string[]): Recipients =>
  (email) =>
    users.includes(email.split('@')[0] ?? '') ? null : noSuchUser;

/** Each server has its own network address. `verdict` is the expected result for `jane` at its domain. */
type Case = {
  name: string;
  server?: Recipients | Script;
  isScripted?: true;
  state: string;
  reason: string;
  trouble?: string;
};
const ordinary = (
  name: string,
  server: Recipients,
  state: string,
  reason: string,
  trouble?: string,
): Case => ({
  name,
  server,
  state,
  reason,
  ...(trouble && { trouble }),
});
const odd = (
  name: string,
  special: Parameters<typeof mostly>[0],
  state: string,
  reason: string,
  trouble?: string,
): Case => ({
  ...ordinary(name, () => null, state, reason, trouble),
  server: mostly(special),
  isScripted: true,
});
const untested = ['unknown', 'untested'] as const;
const atRecipient = (reply: string) => (line: string | null) =>
  line?.startsWith('RCPT') ? reply : undefined;
const forJane = (reply: string) => (line: string | null) => (line?.includes('<jane@') ? reply : undefined);

const cases: Case[] = [
  ordinary('has the mailbox', only('jane'), 'verified', 'accepted'),
  ordinary('has no such mailbox', only('john'), 'invalid', 'no_mailbox'),
  ordinary('accepts everybody', () => null, 'catch_all', 'accepts_everybody'),
  ordinary(
    'greylists',
    () => ({ code: 451, text: '4.7.1 greylisted, come again' }),
    ...untested,
    'greylisted',
  ),
  ordinary('drops an encrypted line', () => 'cut', ...untested, 'closed'),
  odd(
    'drops the line at the greeting',
    (line, socket) => (line === null ? cut(socket) : undefined),
    ...untested,
    'closed',
  ),
  odd(
    'drops the line at the recipient',
    (line, socket) => (line?.startsWith('RCPT') ? cut(socket) : undefined),
    ...untested,
    'closed',
  ),
  odd(
    'drops the line after having accepted',
    (line, socket) => (line?.includes('nobody_') ? cut(socket) : undefined),
    ...untested,
    'closed',
  ),
  odd('never greets', (line) => (line === null ? null : undefined), ...untested, 'timeout'),
  odd('is a tarpit', tarpit, ...untested, 'timeout'),
  odd(
    'greets with a refusal',
    (line) => (line === null ? '554 5.7.1 go away\r\n' : undefined),
    ...untested,
    'greeting',
  ),
  odd(
    'greets in another protocol',
    (line) => (line === null ? 'SSH-2.0-OpenSSH_9.2\r\n' : undefined),
    ...untested,
    'malformed',
  ),
  odd(
    'greets without an end',
    (line) => (line === null ? '220 '.padEnd(10_000, 'x') : undefined),
    ...untested,
    'too_long',
  ),
  odd(
    'answers in too many lines',
    (line) => (line?.startsWith('EHLO') ? '250-x\r\n'.repeat(500) : undefined),
    ...untested,
    'too_long',
  ),
  odd(
    'answers in many lines',
    (line) => (line?.startsWith('EHLO') ? `${'250-LONG x\r\n'.repeat(100)}250 ok\r\n` : undefined),
    'verified',
    'accepted',
  ),
  odd('answers before it is asked', forJane('250 2.1.5 ok\r\n250 2.1.5 ok\r\n'), ...untested, 'out_of_turn'),
  odd('changes its mind within a reply', forJane('250-ok\r\n550 no\r\n'), ...untested, 'malformed'),
  odd(
    'knows no EHLO',
    (line) => (line?.startsWith('EHLO') ? '502 5.5.1 what?\r\n' : undefined),
    'verified',
    'accepted',
  ),
  odd('breaks off TLS', brokenTls, 'verified', 'accepted'),
  odd(
    'puts words before TLS',
    (line) =>
      line?.startsWith('EHLO')
        ? '250-x\r\n250 STARTTLS\r\n'
        : line === 'STARTTLS'
          ? '220 go\r\n250 ok\r\n'
          : undefined,
    ...untested,
    'out_of_turn',
  ),
  odd(
    'has no TLS today',
    (line) =>
      line?.startsWith('EHLO')
        ? '250-x\r\n250 STARTTLS\r\n'
        : line === 'STARTTLS'
          ? '454 4.7.0 not now\r\n'
          : undefined,
    'verified',
    'accepted',
  ),
  odd(
    'refuses the sender',
    (line) => (line?.startsWith('MAIL') ? '550 5.7.1 not you\r\n' : undefined),
    ...untested,
    'sender',
  ),
  odd('blocks our address', atRecipient('550 5.7.1 blocked, see the list\r\n'), ...untested, 'policy'),
  odd(
    'blocks our address without saying so in figures',
    atRecipient('550 listed by the spam blocklist\r\n'),
    ...untested,
    'policy',
  ),
  odd('has a full mailbox', forJane('452 4.2.2 mailbox full\r\n'), ...untested, 'mailbox_full'),
  odd('has disabled the mailbox', forJane('550 5.2.1 disabled\r\n'), 'invalid', 'mailbox_disabled'),
  odd('closes in the middle', forJane('421 4.3.2 shutting down\r\n'), ...untested, 'closing'),
  odd(
    'cannot tell today whether it accepts everybody',
    (line) => (line?.includes('nobody_') ? '450 4.2.0 later\r\n' : undefined),
    ...untested,
    'temporary',
  ),
  odd('takes no mail', atRecipient('556 5.1.10 null MX\r\n'), 'invalid', 'no_mail'),
  { name: 'is not there', ...told(untested, 'unreachable') },
];

function cut(socket: Parameters<Script>[1]): null {
  socket.destroy();
  return null;
}

function told([state, reason]: readonly [string, string], trouble: string) {
  return { state, reason, trouble };
}

/** Sends single bytes forever, each before the timeout, but never a complete reply. */
function tarpit(line: string | null, socket: Parameters<Script>[1]): string | null | undefined {
  if (line !== null) return undefined;
  const drip = setInterval(() => socket.write('2'), 50);
  socket.on('close', () => clearInterval(drip));
  return null;
}

function brokenTls(line: string | null, socket: Parameters<Script>[1]): string | null | undefined {
  if (line?.startsWith('EHLO')) return '250-x\r\n250 STARTTLS\r\n';
  if (line !== 'STARTTLS') return undefined;
  socket.removeAllListeners('data');
  socket.on('data', () => socket.end('this is no handshake'));
  return '220 go ahead\r\n';
}

const host = (at: number) => `127.0.1.${at + 1}`;
const domain = (at: number) => `case${at}.test`;
const names = Object.fromEntries(
  cases.flatMap((_, at) => [
    [domain(at), { mx: [[10, `mx.${domain(at)}`]] as const }],
    [`mx.${domain(at)}`, { a: [host(at)] }],
  ]),
);

let world: MailWorld.MailWorld;
const servers: Awaited<ReturnType<MailWorld.MailWorld['ordinary']>>[] = [];
beforeAll(async () => {
  world = await MailWorld.open(Object.fromEntries(cases.map((_, at) => [`jane@${domain(at)}`, null])), names);
  for (const [at, { server, isScripted }] of cases.entries()) {
    if (server === undefined) continue;
    servers.push(
      isScripted
        ? await world.scripted(host(at), server as Script)
        : await world.ordinary(host(at), server as Recipients),
    );
  }
  await world.verify();
});
afterAll(() => world.close());

describe('an address whose server', () => {
  it.each(cases.map((each, at) => [each.name, at, each] as const))(
    '%s',
    async (_, at, { state, reason, trouble }) => {
      const email = `jane@${domain(at)}`;
      expect(await world.known(email)).toEqual({
        state,
        reason,
        attempts: trouble === undefined ? 0 : 1,
        trouble: trouble ?? null,
      });
      expect(await world.isTold(email)).toBe(state === 'verified');
    },
  );
});

describe('a conversation', () => {
  it('says who we are, asks for the address and for one that nobody has, and never sends anything', () => {
    const [server] = servers;
    expect(server?.encrypted()).toBe(1);
    expect(server?.said).toEqual([
      'HELLO probe.sluice.test',
      'MAIL FROM:<postmaster@sluice.test>',
      `RCPT TO:<jane@${domain(0)}>`,
      expect.stringMatching(/^RCPT TO:<nobody_[0-9a-f]{16}@case0\.test>$/),
    ]);
    for (const { said } of servers)
      expect(said.filter((line) => /^(DATA|BDAT|VRFY|EXPN)/i.test(line))).toEqual([]);
  });

  it('is held once with each server, and in the clear where its TLS is broken', () => {
    const at = cases.findIndex(({ name }) => name === 'breaks off TLS');
    expect(servers.map((server) => server.connections())).toEqual(
      servers.map((_, index) => (index === at ? 2 : 1)),
    );
  });
});
