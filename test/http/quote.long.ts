import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Retention from '../../src/adapters/postgres/retention.ts';
import * as Proof from '../../src/payment/proof.ts';
import * as Customer from '../support/customer.ts';
import { createDatabase } from '../support/database.ts';
import * as Payer from '../support/payer.ts';
import * as Program from '../support/program.ts';
import * as Wire from '../support/proxy.ts';
import * as QuoteShop from '../support/quote-shop.ts';
import { ask, from, offers, proofs, question } from './quote-client.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let quotes: QuoteShop.QuoteShop;
let sql: postgres.Sql;
let programs: [RunningQuotes, RunningQuotes];
/** The shop's clock, which only the tests move. */
let nowMs = Date.now();
let addresses = 0;

beforeAll(async () => {
  database = await createDatabase();
  quotes = await QuoteShop.open({ databaseUrl: database.url, clock: () => nowMs });
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  programs = await Promise.all([startProgram(), startProgram()]);
});
afterAll(async () => {
  await Promise.all(programs?.map(({ stop }) => stop()) ?? []);
  await sql?.end();
  await quotes?.close();
  await database?.drop();
});

type RunningQuotes = { url: string; stop(): Promise<unknown> };

/** Starts the quote route in a separate process on the same database, as the same shop. */
async function startProgram(): Promise<RunningQuotes> {
  const port = await Program.freePort();
  const started = await Program.start('test/support/quote-program.ts', {
    PORT: String(port),
    DATABASE_URL: database.url,
    PUBLIC_URL: quotes.publicUrl,
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => started.stop() };
}

/** Returns an address that no request has come from. */
function fresh(): Record<string, string> {
  addresses += 1;
  return from(`198.51.100.${addresses}`);
}

const schemes = Object.entries(proofs);

describe('who asks without a proof', () => {
  test('is asked for one by both schemes, in header and body', async () => {
    const answer = await ask(quotes.url);
    expect(answer.status).toBe(402);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({
      success: false,
      code: 'payment_required',
      type: 'https://paymentauth.org/problems/payment-required',
      status: 402,
      x402Version: 1,
      rails: [{ rail: 'x402' }, { rail: 'mpp', method: 'tempo' }],
    });
    const { accepts, resource, challenge } = offers(answer);
    expect(resource.url).toBe(`${quotes.publicUrl}${QuoteShop.path}`);
    expect(accepts.map(({ amount, network }) => [amount, network])).toEqual([
      ['0', 'eip155:8453'],
      ['0', 'eip155:84532'],
    ]);
    expect(challenge).toMatchObject({ realm: 'shop.example', method: 'tempo', intent: 'charge' });
    expect(offers(await ask(quotes.url)).challenge.id).not.toBe(challenge.id);
  });

  test('is offered what it takes', async () => {
    const taken = async (accept: string) => {
      const { headers, body } = await ask(quotes.url, { 'accept-payment': accept });
      return [headers.has('payment-required'), 'accepts' in body, headers.has('www-authenticate')];
    };
    expect(await taken('tempo/charge')).toEqual([false, false, true]);
    expect(await taken('evm/charge, tempo/*;q=0')).toEqual([true, true, false]);
    expect(await taken('stripe/charge')).toEqual([true, true, true]);
    expect(await taken('nonsense')).toEqual([true, true, true]);
  });

  test('is told first what is wrong with its question', async () => {
    expect((await ask(quotes.url, {}, '{"gaol":1}')).body).toMatchObject({ errors: [{ field: 'goal' }] });
    expect((await ask(quotes.url, {}, '{')).status).toBe(400);
    expect((await ask(quotes.url, { 'content-type': 'text/plain' })).status).toBe(415);
  });
});

describe.each(schemes)('a proof by %s', (scheme, prove) => {
  test('is answered with the advice and a receipt, and opens no account', async () => {
    const wallet = Payer.payer();
    const headers = await prove(quotes.url, wallet, nowMs);
    const answer = await ask(quotes.url, { ...headers, ...fresh() });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('cache-control')).toMatch(/^private/);
    expect(answer.headers.has('www-authenticate')).toBe(false);
    expect(answer.body).toMatchObject({
      success: true,
      status: 'quoted',
      priceUsd: '0',
      guide: 'leads in Utrecht',
      wallet: wallet.address.toLowerCase(),
      sign_in: { method: 'POST', url: 'https://shop.example/agent/auth', body: { type: 'wallet' } },
    });
    expect(answer.text).not.toMatch(/access_token|identity_assertion|acc_/);
    expect(await accountOf(wallet)).toBeUndefined();
    const field = {
      mpp: 'payment-receipt',
      'x402 version 1': 'x-payment-response',
      'x402 version 2': 'payment-response',
    }[scheme];
    const receipt = JSON.parse(Buffer.from(answer.headers.get(field ?? '') ?? '', 'base64').toString());
    expect(receipt).toMatchObject(
      scheme === 'mpp'
        ? { status: 'success', method: 'tempo' }
        : { success: true, transaction: '', payer: wallet.address.toLowerCase() },
    );
  });

  test('is taken once', async () => {
    const headers = { ...(await prove(quotes.url, Payer.payer(), nowMs)), ...fresh() };
    const before = quotes.advised();
    expect((await ask(quotes.url, headers)).status).toBe(200);
    const again = await ask(quotes.url, headers);
    expect(again.status).toBe(402);
    expect(again.body).toMatchObject({ code: 'proof_refused', reason: 'used' });
    expect(offers(again).challenge.id).toBeTruthy();
    expect(quotes.advised()).toBe(before + 1);
  });

  test('is taken once of 50 at the same time, over two processes', async () => {
    const headers = await prove(programs[0].url, Payer.payer(), Date.now());
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => ask(programs[at % 2 === 0 ? 0 : 1].url, headers)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 402)).toHaveLength(49);
    expect(new Set(answers.map(({ body }) => body.reason))).toEqual(new Set([undefined, 'used']));
  });

  test('that nobody can look up is not served', async () => {
    const proxy = await Wire.open(database.url);
    const cutOff = await QuoteShop.open({ databaseUrl: proxy.url, clock: () => nowMs });
    try {
      const headers = await prove(cutOff.url, Payer.payer(), nowMs);
      await proxy.cut();
      const answer = await ask(cutOff.url, headers);
      expect(answer.status).toBe(503);
      expect(answer.body).not.toHaveProperty('guide');
      expect(answer.body).not.toHaveProperty('access_token');
      expect(cutOff.advised()).toBe(0);
      await proxy.restore();
      expect((await ask(cutOff.url, headers)).status).toBe(200);
    } finally {
      await cutOff.close();
      await proxy.cut();
    }
  });

  test('that has expired, or is signed by another, opens nothing', async () => {
    const wallet = Payer.payer();
    const headers = await prove(quotes.url, wallet, nowMs);
    const asked = nowMs;
    nowMs += Proof.lifeSeconds * 1000;
    const late = await ask(quotes.url, headers);
    nowMs = asked;
    expect(late.status).toBe(402);
    expect(late.body.type).toMatch(/payment-expired$/);
    expect(await accountOf(wallet)).toBeUndefined();
  });
});

async function accountOf(wallet: Payer.Payer): Promise<string | undefined> {
  const rows = await sql`SELECT account_id FROM shop.wallet WHERE address = ${wallet.address.toLowerCase()}`;
  return rows[0]?.account_id;
}

test('a proof of a wallet that has an account here gives none of its tokens', async () => {
  const wallet = Payer.payer();
  const account = id('acc');
  await sql`INSERT INTO shop.account (id, origin) VALUES (${account}, 'purchase')`;
  await sql`INSERT INTO shop.wallet (address, account_id) VALUES (${wallet.address.toLowerCase()}, ${account})`;
  for (const [, prove] of schemes) {
    const answer = await ask(quotes.url, { ...(await prove(quotes.url, wallet, nowMs)), ...fresh() });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toMatch(/access_token|identity_assertion|acc_/);
  }
});

test('an address has five signatures verified in a second, and those are not the cheap refusals', async () => {
  const headers = fresh();
  nowMs += 5_000;
  const stranger = Payer.payer();
  const [accepted] = offers(await ask(quotes.url)).accepts;
  if (!accepted) throw new Error('nothing is accepted');
  const unsigned = async () => {
    const sent = await Payer.pay2(stranger, accepted, { nowMs, chainId: 1 });
    return ask(quotes.url, { 'payment-signature': Payer.base64(sent), ...headers });
  };
  for (let cheap = 0; cheap < 10; cheap++)
    expect((await ask(quotes.url, { 'payment-signature': 'AAAA', ...headers })).status).toBe(402);
  const answers = [];
  for (let costly = 0; costly < 6; costly++) answers.push(await unsigned());
  expect(answers.map(({ status }) => status)).toEqual([402, 402, 402, 402, 402, 429]);
  expect(answers[0]?.body.reason).toBe('x402_signer');
  expect(answers[5]?.headers.get('retry-after')).toBe('1');
});

test('several payments in one request are one too many', async () => {
  const wallet = Payer.payer();
  const both = {
    ...(await proofs['x402 version 2'](quotes.url, wallet, nowMs)),
    ...(await proofs.mpp(quotes.url, wallet)),
  };
  const answer = await ask(quotes.url, both);
  expect(answer.status).toBe(400);
  expect(answer.body.type).toMatch(/bad-request$/);
  expect(await accountOf(wallet)).toBeUndefined();
});

test('a challenge of another method is refused as a mistake of the request', async () => {
  const { challenge } = offers(await ask(quotes.url));
  const credential = await Payer.prove(Payer.payer(), { ...challenge, method: 'stripe' });
  const answer = await ask(quotes.url, { authorization: credential });
  expect(answer.status).toBe(400);
  expect(answer.body.type).toMatch(/method-unsupported$/);
});

test('a proof of the Payment scheme for one question is none for another', async () => {
  const headers = await proofs.mpp(quotes.url, Payer.payer());
  const other = await ask(quotes.url, headers, question.replace('Utrecht', 'Delft'));
  expect(other.status).toBe(402);
  expect(other.body.reason).toBe('mpp_foreign');
  expect((await ask(quotes.url, headers)).status).toBe(200);
});

test('a proof for one address of the quote is none for the other, and each address takes its own', async () => {
  const at = (path: string, headers: Record<string, string>) =>
    Customer.send({
      method: 'POST',
      url: quotes.url + path,
      headers: { 'content-type': 'application/json', ...headers },
      body: question,
    });
  const proof = async (path: string) => ({
    authorization: await Payer.prove(Payer.payer(), offers(await at(path, {})).challenge),
  });
  for (const [own, other] of [
    [QuoteShop.path, QuoteShop.neutralPath],
    [QuoteShop.neutralPath, QuoteShop.path],
  ] as const) {
    expect((await at(other, await proof(own))).status).toBe(402);
    expect((await at(own, await proof(own))).status).toBe(200);
  }
});

test('proofs are remembered past their expiry, and forgotten in the end', async () => {
  const headers = await proofs.mpp(quotes.url, Payer.payer());
  expect((await ask(quotes.url, headers)).status).toBe(200);
  const [{ count } = { count: 0 }] = await sql<{ count: string }[]>`SELECT count(*) FROM shop.proof`;
  const [{ short } = { short: 0 }] = await sql<
    { short: string }[]
  >`SELECT count(*) AS short FROM shop.proof WHERE expires_at <= now()`;
  expect(Number(count)).toBeGreaterThan(0);
  expect(Number(short)).toBe(0);
  const { shop } = quotes;
  await sql`INSERT INTO shop.proof VALUES ('old', now() - interval '2 days'), ('past', now() - interval '1 hour')`;
  await Retention.sweep(sql as unknown as Parameters<typeof Retention.sweep>[0], Retention.usual);
  const left = await sql`SELECT key FROM shop.proof WHERE key IN ('old', 'past')`;
  expect(left.map(({ key }) => key)).toEqual(['past']);
  expect(await shop.wallets.isKnown(`0x${'0'.repeat(40)}`)).toBe(false);
});

/** Wallets that were used: a harmless change to a payment keeps its wallet. */
test('10,000 random payments are refused for a listed reason, and show nothing of the inside', async () => {
  const wallet = Payer.payer();
  const good2 = (await proofs['x402 version 2'](quotes.url, wallet, nowMs))['payment-signature'];
  const good1 = (await proofs['x402 version 1'](quotes.url, wallet, nowMs))['x-payment'];
  const goodMpp = (await proofs.mpp(quotes.url, wallet)).authorization.slice('Payment '.length);
  for (const used of [
    { 'payment-signature': good2 },
    { 'x-payment': good1 },
    { authorization: `Payment ${goodMpp}` },
  ])
    expect((await ask(quotes.url, used)).status).toBe(200);
  const fields = ['payment-signature', 'x-payment', 'authorization', 'payment-authorization'];
  const random = prng(20_300_101);
  const before = quotes.advised();
  const statuses = new Map<number, number>();
  const send = async () => {
    const good = pick([good2, good1, goodMpp], random);
    const name = pick(fields, random);
    const value = spoil(good, random);
    const field = name.endsWith('authorization') ? `Payment ${value}` : value;
    const answer = await ask(quotes.url, {
      [name]: field,
      ...from(`2001:db8:${(addresses++).toString(16)}::1`),
    });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expect([400, 402], answer.text).toContain(answer.status);
    if (answer.status === 402) expect(Proof.reasons).toHaveProperty(answer.body.reason);
    expect(`${answer.text}${JSON.stringify([...answer.headers])}`).not.toMatch(
      /node_modules|\.ts:|postgres:|SELECT |at Object\.|: undefined|\[object |ZodError|SyntaxError|127\.0\.0\.1/,
    );
  };
  for (let batch = 0; batch < 625; batch++) await Promise.all(Array.from({ length: 16 }, send));
  expect(quotes.faults).toEqual([]);
  expect(quotes.advised()).toBe(before);
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000);
}, 180_000);

/** A seeded generator (mulberry32), so that a failure can be repeated. */
function prng(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Returns a payment with a change that matters: to the signature, a number, an address, a member, or the text itself. */
function spoil(encoded: string, random: () => number): string {
  const text = Buffer.from(encoded, 'base64').toString();
  switch (Math.floor(random() * 5)) {
    case 0: {
      const at = Math.floor(random() * encoded.length);
      return (
        encoded.slice(0, at) +
        pick([...'AZaz09+/!'], random) +
        pick([...'-_=.'], random) +
        encoded.slice(at + 1)
      );
    }
    case 1:
      return encoded.slice(0, Math.floor(random() * encoded.length));
    case 2:
      return Buffer.from(
        text.replace(/"signature":"0x[0-9a-f]{8}/, () => `"signature":"0x${hex8(random)}`),
      ).toString('base64');
    case 3: {
      const members = [...text.matchAll(/:("[^"]*"|\d+)/g)];
      const [old = ''] = pick(members, random);
      const other = pick(
        ['null', '0', '-1', '1e999', '""', '[]', '{}', '"0x"', 'true', '"\\ud800"', '"__proto__"'],
        random,
      );
      return Buffer.from(text.replace(old, `:${other}`)).toString('base64');
    }
    default:
      return Buffer.from(Array.from({ length: Math.floor(random() * 400) }, () => random() * 256)).toString(
        'base64',
      );
  }
}

function hex8(random: () => number): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}
