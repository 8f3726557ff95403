import { describe, expect, test } from 'vitest';
import { get, post } from '../proxy/opened-upstream.ts';
import { http, type Received, scripted } from '../proxy/scripted-upstream.ts';
import { against, closing, header } from './opened.ts';

const clientSecret = 'client/secret of the shop';
const pair = Buffer.from(`shop:${new URLSearchParams({ '': clientSecret }).toString().slice(1)}`).toString(
  'base64',
);

function token(text: string, more: Record<string, unknown> = {}): Buffer {
  return http(200, JSON.stringify({ access_token: text, token_type: 'Bearer', expires_in: 3600, ...more }));
}

async function issuer(script: (received: Received, count: number) => unknown) {
  let count = 0;
  return closing(await scripted((received) => script(received, ++count)));
}

async function withToken(
  issue: (received: Received, count: number) => unknown,
  script: (received: Received) => unknown = ({ socket }) => socket.write(http(200, '{"count":1}')),
  auth: 'basic' | 'body' = 'basic',
) {
  const tokens = await issuer(issue);
  const oauth = {
    tokenUrl: `${tokens.url}/token`,
    clientId: 'shop',
    clientSecret,
    scope: 'read write',
    auth,
  };
  const opened = await against(script, { key: null, keys: [], oauth });
  closing(opened.upstream);
  return { tokens, ...opened };
}

describe('an access token', () => {
  test('is fetched once for concurrent calls, with the client’s credentials in the header', async () => {
    const { tokens, server, upstream } = await withToken(({ socket }) => socket.write(token('tok_1')));
    await Promise.all([1, 2, 3, 4].map(() => upstream.send(post()).response));
    await upstream.send(post()).response;
    expect(tokens.received).toHaveLength(1);
    const [asked] = tokens.received as [Received];
    expect(header(asked, 'authorization')).toEqual([`Basic ${pair}`]);
    expect(asked.body).toBe('grant_type=client_credentials&scope=read+write');
    expect(server.received.map((received) => header(received, 'authorization'))).toEqual(
      Array.from({ length: 5 }, () => ['Bearer tok_1']),
    );
  });

  test('is sent beside a key, where the upstream needs both', async () => {
    const tokens = await issuer(({ socket }) => socket.write(token('tok_1')));
    const oauth = { tokenUrl: tokens.url, clientId: 'shop', clientSecret, scope: '', auth: 'basic' as const };
    const { server, upstream } = await against(({ socket }) => socket.write(http(200)), { oauth });
    closing(upstream);
    await upstream.send(post()).response;
    const [received] = server.received as [Received];
    expect(header(received, 'authorization')).toEqual(['Bearer tok_1']);
    expect(header(received, 'x-api-key')).toEqual(['sk_first_operator']);
    expect((tokens.received[0] as Received).body).toBe('grant_type=client_credentials');
  });

  test('is fetched with the credentials in the body when the seller says so', async () => {
    const { tokens, upstream } = await withToken(
      ({ socket }) => socket.write(token('tok_1')),
      undefined,
      'body',
    );
    expect(await upstream.send(post()).response).toMatchObject({ status: 200 });
    const [asked] = tokens.received as [Received];
    expect(header(asked, 'authorization')).toEqual([]);
    expect(new URLSearchParams(asked.body).get('client_secret')).toBe(clientSecret);
  });

  test('that the upstream rejects is renewed once, and the request is not sent again', async () => {
    const { tokens, server, upstream } = await withToken(
      ({ socket }, count) => socket.write(token(`tok_${count}`)),
      ({ socket }) => socket.write(http(401)),
    );
    for (let at = 0; at < 5; at++)
      expect(await upstream.send(post()).response).toMatchObject({ status: 401 });
    expect(server.received).toHaveLength(5);
    expect(tokens.received).toHaveLength(2);
    expect(header(server.received[4] as Received, 'authorization')).toEqual(['Bearer tok_2']);
  });

  test('is renewed before it expires', async () => {
    const { tokens, upstream } = await withToken(({ socket }, count) =>
      socket.write(token(`tok_${count}`, { expires_in: 0.001 })),
    );
    for (let at = 0; at < 3; at++) {
      await upstream.send(post()).response;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(tokens.received.length).toBeGreaterThan(1);
  });

  test.each([
    ['is refused', http(400, '{"error":"invalid_client"}'), 'status_400'],
    ['redirects', http(307, '', ['location: http://127.0.0.1:9/steal']), 'status_307'],
    ['sends no JSON', http(200, 'hello'), 'not_json'],
    ['sends no token', http(200, '{}'), 'no_token'],
    ['sends a token that would end its header', token('tok\r\nhost: other'), 'no_token'],
    ['sends another kind of token', token('tok', { token_type: 'mac' }), 'token_type'],
    ['sends too much', http(200, 'x'.repeat(70_000)), 'response_too_large'],
  ])(
    'whose endpoint %s leaves the upstream unavailable, asked once, with an event that has no secret',
    async (_, answer, reason) => {
      const { tokens, server, upstream, reported } = await withToken(({ socket }) => socket.write(answer));
      for (let at = 0; at < 3; at++) {
        const sending = upstream.send(post());
        expect(await sending.response).toEqual({ kind: 'unavailable', reason: 'oauth_failed' });
        expect(sending.isSent).toBe(false);
      }
      expect(server.received).toHaveLength(0);
      expect(tokens.received).toHaveLength(1);
      expect(reported).toEqual([{ event: 'upstream_oauth_failed', detail: { upstream: 'main', reason } }]);
    },
  );

  test('never leaves in a response, nor does the client secret, nor a token that was renewed', async () => {
    let echo = '';
    const { upstream } = await withToken(
      ({ socket }, count) => socket.write(token(`tok_of_the_shop_${count}`)),
      ({ socket }) => socket.write(echo === '401' ? http(401) : http(200, JSON.stringify({ echo }))),
    );
    echo = '401';
    await upstream.send(post()).response;
    echo = 'nothing';
    expect(await upstream.send(post()).response).toMatchObject({ status: 200 });
    for (const secret of ['tok_of_the_shop_2', 'tok_of_the_shop_1', clientSecret, pair]) {
      echo = secret;
      expect(await upstream.send(get()).response).toEqual({ kind: 'unavailable', reason: 'key_in_body' });
    }
  });

  test('is not waited for by a caller who has left, for whom nothing is sent', async () => {
    let answer: () => void = () => undefined;
    const { tokens, server, upstream } = await withToken(({ socket }) => {
      answer = () => socket.write(token('tok_1'));
    });
    const sending = upstream.send(post());
    sending.abandon();
    expect(await sending.response).toEqual({ kind: 'abandoned' });
    while (tokens.received.length === 0) await new Promise(setImmediate);
    answer();
    await upstream.send(post()).response;
    expect(server.received).toHaveLength(1);
  });
});
