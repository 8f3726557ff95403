import { describe, expect, test } from 'vitest';
import { pairwise } from '../../src/proxy/caller-id.ts';
import { get, post } from '../proxy/opened-upstream.ts';
import { http, type Received } from '../proxy/scripted-upstream.ts';
import { against, header } from './opened.ts';

const fine = ({ socket }: Received) => socket.write(http(200, '{"count":1}'));

function targetOf(received: Received | undefined): string {
  return received?.head.split(' ')[1] ?? '';
}

describe('a key in the query', () => {
  const key = { kind: 'query', parameter: 'api_key' } as const;

  test.each([
    ['', '?api_key=sk%2B1'],
    ['?', '?api_key=sk%2B1'],
    ['?a=1&b=%20&&c', '?a=1&b=%20&&c&api_key=sk%2B1'],
    ['?api_key=theirs', '?api_key=sk%2B1'],
    ['?a=1&api_key=theirs&b=2&api_key=again', '?a=1&b=2&api_key=sk%2B1'],
    ['?API_KEY=theirs', '?api_key=sk%2B1'],
    ['?api%5Fkey=theirs', '?api_key=sk%2B1'],
    ['?%61pi%5fkey=theirs', '?api_key=sk%2B1'],
    ['?api%255Fkey=theirs', '?api_key=sk%2B1'],
    ['?api%u005Fkey=theirs', '?api_key=sk%2B1'],
    ['?api.key=theirs&api+key=theirs&api-key=theirs', '?api_key=sk%2B1'],
    ['?+api_key=theirs&%20api_key=theirs', '?api_key=sk%2B1'],
    ['?api_key[]=theirs&api_key%5B0%5D=theirs', '?api_key=sk%2B1'],
    ['?a=1;api_key=theirs', '?api_key=sk%2B1'],
    ['?api_key%3Dtheirs', '?api_key=sk%2B1'],
    ['?api_key%00=theirs&api_%0akey=theirs', '?api_key=sk%2B1'],
    ['?a=1%26api_key=theirs', '?api_key=sk%2B1'],
    ['?my_api_key=1&api_keys=2', '?my_api_key=1&api_keys=2&api_key=sk%2B1'],
  ])('replaces the caller’s own in any spelling: %s', async (query, sent) => {
    const { server, upstream } = await against(fine, { key, keys: ['sk+1'] });
    await upstream.send(get({ target: { path: '/v1/list', query } })).response;
    expect(targetOf(server.received[0])).toBe(`/v1/list${sent}`);
  });

  test('is never in a header, and never in a response', async () => {
    const { server, upstream } = await against(
      ({ socket, head }) =>
        head.includes('/moved')
          ? socket.write(http(302, '', [`location: /v1/list?api_key=sk_query_key_1`]))
          : socket.write(http(200, `{"asked":"${head.split(' ')[1]}"}`)),
      { key, keys: ['sk_query_key_1'] },
    );
    const echo = await upstream.send(get()).response;
    expect(echo).toEqual({ kind: 'unavailable', reason: 'key_in_body' });
    const moved = await upstream.send(get({ target: { path: '/moved', query: '' } })).response;
    expect(moved).toMatchObject({ kind: 'whole', status: 302 });
    expect(JSON.stringify(moved)).not.toContain('sk_query_key_1');
    expect(server.received).toHaveLength(2);
    expect(server.received[0]?.head.split('\r\n').slice(1).join()).not.toContain('sk_query_key_1');
  });
});

describe('a key as the password of Basic authentication', () => {
  const key = { kind: 'basic', user: 'shop' } as const;
  const pair = Buffer.from('shop:pw').toString('base64');

  test('is sent in place of the caller’s authorization', async () => {
    const { server, upstream } = await against(fine, { key, keys: ['pw'] });
    await upstream.send(post()).response;
    expect(header(server.received[0] as Received, 'authorization')).toEqual([`Basic ${pair}`]);
  });

  test('never leaves in a response: neither the password nor the pair, even when they are short', async () => {
    for (const [password, echo] of [
      ['secret-pw', 'secret-pw'],
      ['secret-pw', Buffer.from('shop:secret-pw').toString('base64')],
      ['pw', pair],
    ] as const) {
      const { upstream } = await against(({ socket }) => socket.write(http(200, `{"echo":"${echo}"}`)), {
        key,
        keys: [password],
      });
      expect(await upstream.send(post()).response).toEqual({ kind: 'unavailable', reason: 'key_in_body' });
    }
  });
});

test('the content of a key that is the text of Basic authentication never leaves either', async () => {
  const { upstream } = await against(
    ({ socket }) => socket.write(http(200, '{"password":"hidden-password"}')),
    {
      key: { kind: 'header', header: 'authorization', value: 'Basic {key}' },
      keys: [Buffer.from('shop:hidden-password').toString('base64')],
    },
  );
  expect(await upstream.send(post()).response).toEqual({ kind: 'unavailable', reason: 'key_in_body' });
});

describe('several keys', () => {
  const keys = ['sk_first_operator', 'sk_second_operator', 'sk_third_operator'];
  const usedKey = (received: Received | undefined) => received && header(received, 'x-api-key')[0];

  test('are used in turn', async () => {
    const { server, upstream } = await against(fine, { keys, rotatesKeys: true });
    for (let at = 0; at < 4; at++) await upstream.send(post()).response;
    expect(server.received.map(usedKey)).toEqual([...keys, keys[0]]);
  });

  test.each([401, 402, 429])(
    'one that was answered %i rests, and the request is not sent again',
    async (status) => {
      const { server, upstream, reported } = await against(
        (received) =>
          received.socket.write(
            usedKey(received) === keys[0] ? http(status, '', ['retry-after: 60']) : http(200, '{"count":1}'),
          ),
        { keys, rotatesKeys: true },
      );
      expect(await upstream.send(post()).response).toMatchObject({ status });
      expect(server.received).toHaveLength(1);
      for (let at = 0; at < 4; at++)
        expect(await upstream.send(post()).response).toMatchObject({ status: 200 });
      expect(server.received.slice(1).map(usedKey)).toEqual([keys[1], keys[2], keys[1], keys[2]]);
      expect(reported).toEqual([
        { event: 'upstream_key_rests', detail: { upstream: 'main', status, rest_ms: 60_000 } },
      ]);
    },
  );

  test('when all rest, nothing is sent and the time of the first one is known', async () => {
    const { server, upstream } = await against(
      ({ socket }) => socket.write(http(429, '', ['retry-after: 30'])),
      {
        keys,
        rotatesKeys: true,
      },
    );
    for (const _ of keys) await upstream.send(post()).response;
    const sending = upstream.send(post());
    expect(await sending.response).toEqual({ kind: 'keys_resting', retryAfterSeconds: 30 });
    expect(sending.isSent).toBe(false);
    expect(server.received).toHaveLength(3);
  });

  test('none of them leaves in a response to a request with another one', async () => {
    const { upstream } = await against(({ socket }) => socket.write(http(200, `{"other":"${keys[2]}"}`)), {
      keys,
      rotatesKeys: true,
    });
    expect(await upstream.send(post()).response).toEqual({ kind: 'unavailable', reason: 'key_in_body' });
  });
});

describe('headers', () => {
  test('of the seller are always sent, whatever the caller sends', async () => {
    const { server, upstream } = await against(fine, { headers: ['x-api-version', '2024-06-01'] });
    await upstream.send(
      post('{}', { rawHeaders: ['X-Api-Version', 'mine', 'Connection', 'x-api-version, x-api-key'] }),
    ).response;
    expect(header(server.received[0] as Received, 'x-api-version')).toEqual(['2024-06-01']);
    expect(header(server.received[0] as Received, 'x-api-key')).toEqual(['sk_first_operator']);
  });

  test('of the caller cross only when the seller names them', async () => {
    const { server, upstream } = await against(fine, { forward: ['openai-beta'] });
    const rawHeaders = [
      'OpenAI-Beta',
      'a=v2',
      'OPENAI-BETA',
      'b=v1',
      'Anthropic-Beta',
      'x',
      'X-Api-Key',
      'theirs',
    ];
    await upstream.send(post('{}', { rawHeaders })).response;
    const [received] = server.received as [Received];
    expect(header(received, 'openai-beta')).toEqual(['a=v2', 'b=v1']);
    expect(header(received, 'anthropic-beta')).toEqual([]);
    expect(header(received, 'x-api-key')).toEqual(['sk_first_operator']);
  });

  test('that are meant for this hop do not cross, even when the seller names them', async () => {
    const { server, upstream } = await against(fine, { forward: ['openai-beta'] });
    await upstream.send(post('{}', { rawHeaders: ['OpenAI-Beta', 'x', 'Connection', 'openai-beta'] }))
      .response;
    expect(header(server.received[0] as Received, 'openai-beta')).toEqual([]);
  });

  test.each(['a\r\nx-api-key: theirs', 'a\nHost: other', 'a\0b', 'a\rb'])(
    'that would end their line are never sent: %j',
    async (value) => {
      const { server, upstream } = await against(fine, { forward: ['openai-beta'] });
      const sending = upstream.send(post('{}', { rawHeaders: ['OpenAI-Beta', value] }));
      expect(await sending.response).toEqual({ kind: 'unavailable', reason: 'unsendable' });
      expect(server.received).toHaveLength(0);
    },
  );

  test('tell upstreams buyers apart by an id that is stable, opaque and different in each shop', async () => {
    const idOf = pairwise('secret of this shop');
    const { server, upstream } = await against(fine, { caller: { header: 'x-buyer', idOf } });
    const rawHeaders = ['X-Buyer', 'someone else'];
    for (const account of ['acc_1', 'acc_1', 'acc_2'])
      await upstream.send(post('{}', { account, rawHeaders })).response;
    const ids = server.received.map((received) => header(received, 'x-buyer'));
    expect(ids[0]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(ids[1]).toEqual(ids[0]);
    expect(ids[2]).not.toEqual(ids[0]);
    expect(pairwise('secret of this shop')('acc_1')).toBe(ids[0]?.[0]);
    expect(pairwise('secret of another shop')('acc_1')).not.toBe(ids[0]?.[0]);
  });
});
