import * as PublicAddress from '@sluice/kernel/public-address';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolver } from '../../src/adapters/resolver.ts';
import * as Route from '../../src/emails/route.ts';
import * as Worker from '../../src/emails/worker.ts';
import type * as DnsServer from './dns-server.ts';
import type { MailServer } from './mail-server.ts';
import { mostly } from './mail-server.ts';
import * as MailWorld from './mail-world.ts';

const names: Record<string, DnsServer.Name> = {
  'null-mx.test': { mx: [[0, '.']], a: ['127.0.2.1'] },
  'implicit.test': { a: ['127.0.2.1'] },
  'empty.test': {},
  'servfail.test': { fails: 'servfail' },
  'silent.test': { fails: 'silent' },
  'six.test': { mx: [[10, 'mx.six.test']] },
  'mx.six.test': { aaaa: ['::1'] },
  'nowhere.test': {
    mx: [
      [10, 'mx.nowhere.test'],
      [20, 'mx2.nowhere.test'],
    ],
  },
  'mx2.nowhere.test': {},
  'priorities.test': {
    mx: [
      [30, 'third.other.test'],
      [10, 'First.Priorities.test'],
      [20, 'second.priorities.test'],
    ],
  },
  'first.priorities.test': { a: ['127.0.2.9'] },
  'second.priorities.test': { a: ['127.0.2.9', '127.0.2.1'] },
  'third.other.test': { a: ['127.0.2.2'] },
  'fallback.test': {
    mx: [
      [10, 'refusing.test'],
      [20, 'third.other.test'],
    ],
  },
  'refusing.test': { a: ['127.0.2.3'] },
  'many.test': { mx: Array.from({ length: 30 }, (_, at) => [10, `gone${at}.many.test`] as const) },
  ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`gone${at}.many.test`, { a: ['127.0.2.9'] }])),
  'half-dead.test': {
    mx: [
      [10, 'servfail.test'],
      [20, 'mx2.nowhere.test'],
    ],
  },
};
const domains = [
  'implicit',
  'null-mx',
  'no-such-name',
  'empty',
  'servfail',
  'silent',
  'six',
  'nowhere',
  'priorities',
  'fallback',
  'many',
  'half-dead',
];
const email = (domain: string) => `jane@${domain}.test`;

let world: MailWorld.MailWorld;
let [first, third, six]: MailServer[] = [];
beforeAll(async () => {
  world = await MailWorld.open(Object.fromEntries(domains.map((domain) => [email(domain), null])), names);
  const jane = (address: string) =>
    address.startsWith('jane@') ? null : { code: 550, text: '5.1.1 nobody' };
  first = await world.ordinary('127.0.2.1', jane);
  third = await world.ordinary('127.0.2.2', jane);
  await world.scripted(
    '127.0.2.3',
    mostly((line) => (line === null ? '421 4.3.2 too busy\r\n' : undefined)),
  );
  six = await world.ordinary('::1', jane);
  await world.verify({ restMs: 0, connectionsPerOperatorMax: 10 });
});
afterAll(() => world.close());

const verified = { state: 'verified', reason: 'accepted', attempts: 0, trouble: null };
const invalid = (reason: string) => ({ state: 'invalid', reason, attempts: 0, trouble: null });
const later = (trouble: string) => ({ state: 'unknown', reason: 'untested', attempts: 1, trouble });

describe('a domain', () => {
  it.each([
    ['null-mx', 'says that it takes no mail (RFC 7505)', invalid('no_mail')],
    ['no-such-name', 'does not exist', invalid('no_domain')],
    ['empty', 'has neither MX nor address', invalid('no_mail_server')],
    ['nowhere', 'has mail servers that are not to be found', invalid('no_mail_server')],
    ['servfail', 'has a name server that fails', later('dns')],
    ['silent', 'has a name server that keeps silent', later('dns')],
    ['half-dead', 'has mail servers of which one may yet be found', later('dns')],
    ['implicit', 'has no MX and takes mail at its own address', verified],
    ['six', 'is reached by IPv6 only', verified],
    ['priorities', 'has mail servers of which the first is away', verified],
    ['fallback', 'has a first mail server that is too busy', verified],
    ['many', 'has many mail servers, all of them away', later('unreachable')],
  ])('%s: %s', async (domain, _, expected) => {
    expect(await world.known(email(domain))).toEqual(expected);
    expect(await world.isTold(email(domain))).toBe(expected.state === 'verified');
  });

  it('is asked at its servers by priority, at each of their addresses, and no further than needed', () => {
    const asked = (server: MailServer | undefined) =>
      server?.said
        .filter((line) => line.startsWith('RCPT TO:<jane'))
        .map((line) => line.slice(14, -6))
        .sort();
    expect(asked(first)).toEqual(['implicit', 'priorities']);
    expect(asked(third)).toEqual(['fallback']);
    expect(asked(six)).toEqual(['six']);
  });

  it('with many servers costs no more than four look-ups', () => {
    const looked = new Set(
      world.dns.asked.filter((line) => line.startsWith('gone')).map((line) => line.split(' ')[0]),
    );
    expect(looked.size).toBe(4);
  });
});

describe('a server that is not on the internet', () => {
  it('is never spoken to unless that is allowed', async () => {
    const connections = first?.connections();
    await world.sql`update direct.address set due_at = ${new Date(world.clock.nowMs)} where email = ${email('implicit')}`;
    await Worker.run(world.worker({ allowsPrivate: false }), new AbortController().signal, true);
    expect(await world.known(email('implicit'))).toEqual({
      ...later('x'),
      reason: 'private_address',
      attempts: 0,
      trouble: null,
    });
    expect(await world.isTold(email('implicit'))).toBe(false);
    expect(first?.connections()).toBe(connections);
  });

  it('is told by its address', () => {
    const open = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];
    const v4 = [
      '127.0.0.1',
      '0.0.0.0',
      '10.1.2.3',
      '172.31.0.1',
      '192.168.0.1',
      '169.254.169.254',
      '100.64.0.1',
    ];
    const v6 = [
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      'fe80::1',
      'fc00::1',
      'fd12::1',
      'ff02::1',
    ];
    const within = [
      '224.0.0.1',
      '255.255.255.255',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:db8::1',
      '2001::1',
    ];
    expect([...open, ...v4, ...v6, ...within].filter(PublicAddress.isPublic)).toEqual(open);
  });
});

describe('the mail servers of one operator', () => {
  it.each([
    ['mx1.acme.test', 'acme.test'],
    ['acme.test', 'acme.test'],
    ['a-com.mail.protection.outlook.com', 'outlook.com'],
    ['mx.acme.co.uk', 'acme.co.uk'],
    ['mail.firm.de', 'firm.de'],
  ])('%s: %s', (host, operator) => {
    expect(Route.operator(host)).toBe(operator);
  });

  it('take turns among equals', async () => {
    const found = resolver([world.dns.server]);
    const starts = new Set<string>();
    for (let salt = 0; salt < 20; salt++) {
      const route = await Route.find('many.test', String(salt), found);
      if (route.kind === 'hosts') starts.add(route.hosts[0] ?? '');
    }
    expect(starts.size).toBeGreaterThan(5);
  });
});
