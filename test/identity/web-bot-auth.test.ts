import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as MessageSignature from '../../src/identity/message-signature.ts';
import * as WebBotAuth from '../../src/identity/web-bot-auth.ts';
import { now } from './shop.ts';
import { newAgent, requestOf, type Signing, signedHeaders } from './signing-agent.ts';

const vectors: {
  key: { kty: string; crv: string; x: string };
  keyId: string;
  vectors: {
    name: string;
    origin: string;
    method: string;
    target: string;
    headers: Record<string, string>;
    base: string[];
  }[];
} = JSON.parse(readFileSync(new URL('../fixtures/message-signatures.json', import.meta.url), 'utf8'));

const agentOrigin = 'https://agent.example';
const agent = newAgent();
const asked: string[] = [];

/** The directories of trusted agents: every agent has the same keys. */
const directories = (keys: unknown = { keys: [agent.jwk] }): WebBotAuth.AgentDirectories => ({
  async find(origin, keyId, nowMs) {
    asked.push(origin);
    const found = WebBotAuth.readDirectory(keys)?.get(keyId);
    return found && found.fromMs <= nowMs && nowMs < found.untilMs
      ? { kind: 'key', key: found.key }
      : { kind: 'unknown' };
  },
  close: async () => {},
});
const good: Signing = { authority: 'shop.example', agentOrigin, createdSeconds: now / 1_000 };
const headersOf = (change: Partial<Signing> = {}) => signedHeaders(agent, { ...good, ...change });
const recognise = (
  headers: Parameters<typeof requestOf>[0],
  { trusted = [agentOrigin], keys, ...more }: { trusted?: string[]; keys?: unknown; target?: string } = {},
) =>
  WebBotAuth.recognise(
    { directories: directories(keys), trusted },
    requestOf(headers, more.target === undefined ? {} : { target: more.target }),
    now,
  );
const recognised = { kind: 'recognised', agent: agentOrigin };
const refused = (reason: string) => ({ kind: 'unrecognised', reason });

describe('a published vector', () => {
  const key = createPublicKey({ key: vectors.key, format: 'jwk' });

  test.each(vectors.vectors)('$name: has the published base, and verifies', (vector) => {
    const request = requestOf(vector.headers, vector);
    const [signature, ...others] = MessageSignature.parse(request) ?? [];
    expect(others).toEqual([]);
    if (signature === undefined) throw new Error('not parsed');
    const base = MessageSignature.base(request, signature) ?? '';
    expect(base.split('\n')).toEqual(vector.base);
    expect(MessageSignature.isSignedBy(key, base, signature.bytes)).toBe(true);
    expect(MessageSignature.isSignedBy(key, `${base} `, signature.bytes)).toBe(false);
  });

  test('is never recognised by its published key, whose private key is published too', () => {
    expect(WebBotAuth.readDirectory({ keys: [vectors.key] })?.size).toBe(0);
  });
});

describe('a signed registration', () => {
  test.each([
    ['the dictionary form', {}],
    ['the string form of earlier drafts', { isString: true }],
    ['no alg, and no nonce', { algorithm: null, nonce: null }],
    ['a life of 24 hours', { lifeSeconds: 86_400 }],
    ['a clock that is 20 seconds fast', { createdSeconds: now / 1_000 + 20 }],
    [
      'more components',
      {
        more: [
          ['"@method"', 'POST'],
          ['"@path"', '/agent/auth'],
        ],
      },
    ],
  ] as const)('with %s is recognised', async (_, change) => {
    expect(await recognise(headersOf(change))).toMatchObject(recognised);
  });

  test('is not looked at where the seller trusts no agent, and no directory is read', async () => {
    asked.length = 0;
    expect(await recognise(headersOf(), { trusted: [] })).toEqual({ kind: 'unsigned' });
    expect(asked).toEqual([]);
  });

  test('of an agent that is not trusted reads no directory', async () => {
    asked.length = 0;
    for (const origin of [
      'https://other.example',
      'http://agent.example',
      'https://agent.example:8443',
      'https://agent.example.evil.example',
      'https://agent.example/path',
      'https://agent.example@evil.example',
      'https://169.254.169.254',
      'not an address',
    ])
      expect(await recognise(headersOf({ agentOrigin: origin }))).toEqual(refused('agent_not_trusted'));
    expect(asked).toEqual([]);
  });

  test.each([
    ['for another shop', { authority: 'other.example' }, 'signature'],
    ['for another port of the shop', { authority: 'shop.example:8443' }, 'signature'],
    ['that does not cover the shop', { omits: 'authority' }, 'component_missing'],
    ['that does not cover the agent', { omits: 'agent' }, 'component_missing'],
    ['without created', { omits: 'created' }, 'parameters'],
    ['without expires', { omits: 'expires' }, 'parameters'],
    ['without keyid', { omits: 'keyid' }, 'parameters'],
    ['with another algorithm', { algorithm: 'hmac-sha256' }, 'parameters'],
    ['that has expired', { createdSeconds: now / 1_000 - 300 }, 'time'],
    ['from the future', { createdSeconds: now / 1_000 + 31 }, 'time'],
    ['that expires before it was made', { lifeSeconds: -1 }, 'time'],
    ['for longer than 24 hours', { lifeSeconds: 86_401 }, 'time'],
    ['that covers an absent header', { more: [['"x-absent"', '']] }, 'component_unusable'],
    ['that covers a component twice', { more: [['"@authority"', 'shop.example']] }, 'component_unusable'],
    ['that covers an unknown component', { more: [['"@status"', '200']] }, 'component_unusable'],
    ['for another path', { more: [['"@path"', '/agent/token']] }, 'signature'],
  ] as const)('%s is not recognised', async (_, change, reason) => {
    expect(await recognise(headersOf(change as Partial<Signing>))).toEqual(refused(reason));
  });

  test('with another tag counts as unsigned', async () => {
    expect(await recognise(headersOf({ tag: 'http-message-signatures-directory' }))).toEqual({
      kind: 'unsigned',
    });
  });

  test('is not recognised by a key that the directory of its agent lacks, or that is not in force', async () => {
    const at = now / 1_000;
    for (const keys of [
      { keys: [] },
      { keys: [newAgent().jwk] },
      // The name of a key is computed, never read.
      { keys: [{ ...newAgent().jwk, kid: agent.keyId }] },
      { keys: [{ ...agent.jwk, exp: at }] },
      { keys: [{ ...agent.jwk, nbf: at + 1 }] },
      { keys: [{ ...agent.jwk, use: 'enc' }] },
      { keys: [{ ...agent.jwk, kty: 'EC' }] },
      { keys: 'none' },
      null,
    ])
      expect(await recognise(headersOf(), { keys })).toEqual(refused('key_unknown'));
  });

  test('cannot be moved to another trusted agent by its headers', async () => {
    const trusted = [agentOrigin, 'https://second.example'];
    const headers = headersOf();
    for (const [value, reason] of [
      ['sig1="https://second.example"', 'signature'],
      [['sig1="https://agent.example"', 'sig1="https://second.example"'], 'signature'],
      ['sig2="https://second.example"', 'component_missing'],
      ['sig1="https://agent.example";type=jwks_uri', 'agent_not_trusted'],
      ['"https://second.example"', 'component_unusable'],
      ['sig1=("https://agent.example")', 'agent_not_trusted'],
    ] as const)
      expect(await recognise({ ...headers, 'signature-agent': value }, { trusted })).toEqual(refused(reason));
    const added = [headers['signature-agent'] ?? '', 'other="https://second.example"'];
    expect(await recognise({ ...headers, 'signature-agent': added }, { trusted })).toMatchObject(recognised);
    const whole = headersOf({ isString: true });
    const doubled = [whole['signature-agent'] ?? '', whole['signature-agent'] ?? ''];
    expect(await recognise({ ...whole, 'signature-agent': doubled }, { trusted })).toEqual(
      refused('malformed'),
    );
  });

  test('with repeated signature headers is recognised only by what was signed', async () => {
    const [one, two] = [headersOf(), headersOf({ authority: 'other.example' })];
    const both = (name: string) => [one[name] ?? '', two[name] ?? ''];
    const mixed = { ...one, 'signature-input': both('signature-input') };
    expect(await recognise(mixed)).toEqual(refused('signature'));
    expect(await recognise({ ...one, signature: both('signature') })).toEqual(refused('signature'));
    const second = headersOf({ label: 'sig2' });
    const all = Object.fromEntries(Object.keys(one).map((name) => [name, [two[name], second[name]]]));
    expect(await recognise(all as Record<string, string[]>)).toMatchObject(recognised);
  });

  test('is used by its nonce, or by all that it signs', async () => {
    const id = async (change: Partial<Signing>) => {
      const found = await recognise(headersOf(change));
      return found.kind === 'recognised' ? found.use.id : found;
    };
    expect(await id({ nonce: 'n1' })).toBe(await id({ nonce: 'n1', lifeSeconds: 200 }));
    expect(await id({ nonce: 'n1' })).not.toBe(await id({ nonce: 'n2' }));
    expect(await id({ nonce: null })).toBe(await id({ nonce: null }));
    expect(await id({ nonce: null })).not.toBe(await id({ nonce: null, lifeSeconds: 200 }));
  });

  test('with any headers gives a result', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('sig1=()', 'sig1=("@authority");tag="web-bot-auth"', 'sig1=:AA==:', 'sig1', '"a";x=?1'),
    );
    const names = ['signature', 'signature-input', 'signature-agent'];
    await fc.assert(
      fc.asyncProperty(fc.tuple(text, text, text), async (values) => {
        const headers = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
        expect((await recognise(headers)).kind).not.toBe('recognised');
      }),
    );
  });
});
