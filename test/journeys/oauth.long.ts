import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Browser from '../support/browser.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

const addressHeader = 'x-forwarded-for';
const redirectUri = 'https://agent.example/callback?tab=1';

let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
let other: string;
let visitors = 0;

beforeAll(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: 'http://127.0.0.1:9', key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { ...mailbox.env, CLIENT_ADDRESS_HEADER: addressHeader },
  });
  other = await shop.addStorefront();
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
  expect(await Shop.strays(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

const visitor = (base = shop.url) =>
  new Browser.Browser(base, { [addressHeader]: `203.0.113.${++visitors % 250}` });

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at member by member.
type Answer = { status: number; headers: Headers; body: any };

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  base = shop.url,
): Promise<Answer> {
  const isForm = body instanceof URLSearchParams;
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: {
      [addressHeader]: `198.51.100.${++visitors % 250}`,
      ...(!isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isForm ? body : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

async function register(metadata: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await post('/oauth2/register', {
    client_name: 'Test agent',
    redirect_uris: [redirectUri],
    ...metadata,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.client_id;
}

type Attempt = { clientId: string; verifier: string; query: Record<string, string> };

async function attempt(more: Record<string, string> = {}): Promise<Attempt> {
  const clientId = more.client_id ?? (await register());
  const verifier = randomBytes(32).toString('base64url');
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: 'st&te',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${shop.url}/mcp`,
    ...more,
  };
  return { clientId, verifier, query };
}

const search = (query: Record<string, string>) => new URLSearchParams(query).toString();
const page = (browser: Browser.Browser, { query }: Attempt) =>
  browser.open(`/oauth2/authorize?${search(query)}`);
const decide = (browser: Browser.Browser, { query }: Attempt, action: string) =>
  browser.open('/shop/authorize', { request: search(query), action });

/** The code that a browser is sent back with. */
function codeOf(shown: Browser.Shown): string {
  expect(shown.status, shown.html).toBe(303);
  const url = new URL(shown.headers.get('location') ?? '');
  expect(`${url.origin}${url.pathname}`).toBe('https://agent.example/callback');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ tab: '1', state: 'st&te', iss: shop.url });
  return url.searchParams.get('code') ?? '';
}

const exchange = (
  { clientId, verifier }: Attempt,
  code: string,
  more: Record<string, string> = {},
  base = shop.url,
) =>
  post(
    '/oauth2/token',
    new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...more,
    }),
    {},
    base,
  );

const refresh = (token: string, more: Record<string, string> = {}, base = shop.url) =>
  post(
    '/oauth2/token',
    new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, ...more }),
    {},
    base,
  );

async function status(token: string, base = shop.url): Promise<number> {
  const answer = await fetch(`${base}/account`, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
}

/** A browser that has just started free through an attempt, with the tokens of the client. */
async function connected(more: Record<string, string> = {}) {
  const browser = visitor();
  const tried = await attempt(more);
  const code = codeOf(await decide(browser, tried, 'start'));
  const { body } = await exchange(tried, code);
  return {
    browser,
    tried,
    code,
    access: body.access_token as string,
    refreshToken: body.refresh_token as string,
  };
}

describe('an authorization', () => {
  test('opens a new account on the trial, for one code that is exchanged once', async () => {
    const browser = visitor();
    const tried = await attempt();
    const asked = await page(browser, tried);
    expect(asked.status).toBe(200);
    expect(asked.html).toContain('Connect Test agent');
    expect(asked.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://agent.example;",
    );
    const code = codeOf(await decide(browser, tried, 'start'));
    const first = await exchange(tried, code, { resource: `${shop.url}/mcp` }, other);
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(await status(first.body.access_token)).toBe(200);
  });

  test('of a browser that is signed in uses its account, after its consent', async () => {
    const { browser, access } = await connected();
    const tried = await attempt();
    const asked = await page(browser, tried);
    expect(asked.html).toContain('value="allow"');
    const { body } = await exchange(tried, codeOf(await decide(browser, tried, 'allow')));
    const accounts = await Promise.all(
      [access, body.access_token].map(async (token) => {
        const answer = await fetch(`${shop.url}/account`, { headers: { authorization: `Bearer ${token}` } });
        return ((await answer.json()) as { account: string }).account;
      }),
    );
    expect(accounts[0]).toBe(accounts[1]);
  });

  test('that is refused tells the client so, and grants nothing', async () => {
    const browser = visitor();
    const shown = await decide(browser, await attempt(), 'deny');
    const url = new URL(shown.headers.get('location') ?? '');
    expect(url.searchParams.get('error')).toBe('access_denied');
    expect(url.searchParams.has('code')).toBe(false);
  });

  test('goes on after the sign-in by mail', async () => {
    const { browser } = await connected();
    const email = `ann${++visitors}@person.example`;
    await browser.open('/shop/account/claim', { email });
    const otp = /^ {4}(\d{3} \d{3})$/m.exec((await mailbox.mailsTo(email)).at(-1)?.text ?? '')?.[1] ?? '';
    expect(otp).not.toBe('');
    await browser.open('/shop/account/claim/complete', { otp, code: otp });
    const fresh = visitor();
    const tried = await attempt();
    await page(fresh, tried);
    await fresh.open('/shop/account/link', { email });
    const mail = (await mailbox.mailsTo(email)).at(-1)?.text ?? '';
    const token = /\/shop\/account\/link\?token=(\S+)$/m.exec(mail)?.[1] ?? '';
    const entered = await fresh.open('/shop/account/link/open', { token });
    expect(entered.status).toBe(303);
    expect(entered.headers.get('location')).toBe(`/oauth2/authorize?${search(tried.query)}`);
    codeOf(await decide(fresh, tried, 'allow'));
  });

  test('is never sent to an address that the client did not register', async () => {
    for (const uri of [
      'https://evil.example/callback',
      'https://agent.example/callback',
      'https://agent.example/callback?tab=1&x=2',
      'https://agent.example.evil.example/callback?tab=1',
      'javascript:alert(1)',
    ]) {
      const shown = await page(visitor(), await attempt({ redirect_uri: uri }));
      expect([shown.status, shown.headers.get('location')], uri).toEqual([400, null]);
      const decided = await decide(visitor(), await attempt({ redirect_uri: uri }), 'start');
      expect([decided.status, decided.headers.get('location')], uri).toEqual([400, null]);
    }
    const unknown = await page(visitor(), await attempt({ client_id: 'oci_unknown' }));
    expect(unknown.status).toBe(400);
  });

  test.each([
    ['no PKCE', { code_challenge: '' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://else.example/mcp' }, 'invalid_target'],
  ])('with %s is refused at the client', async (_, more, error) => {
    const shown = await page(visitor(), await attempt(more));
    expect(shown.status).toBe(303);
    const url = new URL(shown.headers.get('location') ?? '');
    expect(url.searchParams.get('error')).toBe(error);
    expect(url.searchParams.get('state')).toBe('st&te');
  });

  test('is not granted by a form of another site', async () => {
    const { browser } = await connected();
    browser.site = 'cross-site';
    expect((await decide(browser, await attempt(), 'allow')).status).toBe(403);
  });

  test('of a client on the own machine may come back at another port', async () => {
    const clientId = await register({ redirect_uris: ['http://127.0.0.1:1/callback'] });
    const local = { client_id: clientId, redirect_uri: 'http://127.0.0.1:54321/callback' };
    expect((await page(visitor(), await attempt(local))).status).toBe(200);
    const elsewhere = { client_id: clientId, redirect_uri: 'http://127.0.0.1:54321/other' };
    expect((await page(visitor(), await attempt(elsewhere))).status).toBe(400);
  });
});

describe('a code', () => {
  test('needs its verifier, its client and its redirect URI', async () => {
    const browser = visitor();
    const tried = await attempt();
    const code = codeOf(await decide(browser, tried, 'start'));
    const wrong = [
      { code_verifier: randomBytes(32).toString('base64url') },
      { client_id: await register() },
      { redirect_uri: 'https://agent.example/other' },
      { code: `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}` },
    ];
    for (const more of wrong)
      expect((await exchange(tried, code, more)).body, JSON.stringify(more)).toMatchObject({
        error: 'invalid_grant',
      });
    expect((await exchange(tried, code)).status).toBe(200);
  });

  test('is exchanged once, of many at once in two processes; a second use ends what the first one gave', async () => {
    const browser = visitor();
    const tried = await attempt();
    const code = codeOf(await decide(browser, tried, 'start'));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => exchange(tried, code, {}, at % 2 ? other : shop.url)),
    );
    const granted = answers.filter((answer) => answer.status === 200);
    expect(granted.length).toBeLessThanOrEqual(1);
    expect((await exchange(tried, code)).body).toMatchObject({ error: 'invalid_grant' });
    for (const { body } of granted) {
      expect(await status(body.access_token)).toBe(401);
      expect(await status(body.access_token, other)).toBe(401);
      expect((await refresh(body.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    }
  });

  test('that is a minute old is of no use', async () => {
    const tried = await attempt();
    const code = codeOf(await decide(visitor(), tried, 'start'));
    await shop.sql`UPDATE shop.oauth_code SET expires_at = clock_timestamp() - interval '1 second'`;
    expect((await exchange(tried, code)).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('a refresh token', () => {
  test('gives the next one, in any process, of its own client only', async () => {
    const { tried, refreshToken } = await connected();
    expect((await refresh(refreshToken, { client_id: await register() })).body.error).toBe('invalid_grant');
    const next = await refresh(refreshToken, { client_id: tried.clientId }, other);
    expect(next.status).toBe(200);
    expect(next.body.refresh_token).not.toBe(refreshToken);
    expect(await status(next.body.access_token)).toBe(200);
  });

  test('whose response was lost works again for a minute; after that its use ends the session everywhere', async () => {
    const { tried, refreshToken } = await connected();
    const client = { client_id: tried.clientId };
    expect((await refresh(refreshToken, client)).status).toBe(200);
    const again = await refresh(refreshToken, client);
    expect(again.status).toBe(200);
    await shop.sql`UPDATE shop.oauth_refresh_token SET rotated_at = rotated_at - interval '2 minutes' WHERE rotated_at IS NOT NULL`;
    expect((await refresh(refreshToken, client)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await refresh(again.body.refresh_token, client)).body).toMatchObject({ error: 'invalid_grant' });
    expect(await status(again.body.access_token)).toBe(401);
    expect(await status(again.body.access_token, other)).toBe(401);
  });

  test('is revoked with its session', async () => {
    const { access, refreshToken } = await connected();
    const revoked = await post('/oauth2/revoke', new URLSearchParams({ token: refreshToken }));
    expect(revoked.status).toBe(200);
    expect(await status(access, other)).toBe(401);
    expect((await refresh(refreshToken)).body).toMatchObject({ error: 'invalid_grant' });
  });

  test('ends when its person disconnects the application, and nobody else can', async () => {
    const { browser, access, refreshToken } = await connected();
    const account = await browser.open('/shop/account/settings');
    expect(account.html).toContain('Connected applications');
    const sid = /name="connection" value="(\w+)"/.exec(account.html)?.[1] ?? '';
    const stranger = (await connected()).browser;
    expect(
      (await stranger.open('/shop/account/connections/end', { connection: sid, confirm: 'yes' })).status,
    ).toBe(422);
    expect(await status(access)).toBe(200);
    expect((await browser.send('/shop/account/connections/end', { connection: sid })).html).toContain(
      'Disconnect ',
    );
    expect(await status(access)).toBe(200);
    expect(
      (await browser.open('/shop/account/connections/end', { connection: sid, confirm: 'yes' })).status,
    ).toBe(303);
    expect(await status(access, other)).toBe(401);
    expect((await refresh(refreshToken)).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('introspection', () => {
  test('tells an account of its own tokens, and of no others', async () => {
    const { access, refreshToken, tried } = await connected();
    const stranger = await connected();
    const ask = async (bearer: string, token: string) =>
      (
        await post('/oauth2/introspect', new URLSearchParams({ token }), {
          authorization: `Bearer ${bearer}`,
        })
      ).body;
    expect(await ask(access, access)).toMatchObject({ active: true, token_type: 'Bearer', iss: shop.url });
    expect(await ask(access, refreshToken)).toMatchObject({ active: true, client_id: tried.clientId });
    expect(await ask(stranger.access, access)).toEqual({ active: false });
    expect(await ask(stranger.access, refreshToken)).toEqual({ active: false });
    expect(await ask(access, 'nonsense')).toEqual({ active: false });
    await post('/oauth2/revoke', new URLSearchParams({ token: refreshToken }));
    expect(await ask(stranger.access, refreshToken)).toEqual({ active: false });
    expect((await post('/oauth2/introspect', new URLSearchParams({ token: access }))).status).toBe(401);
  });
});

describe('a client', () => {
  test.each([
    ['no redirect URI', { redirect_uris: [] }],
    ['a script for one', { redirect_uris: ['javascript:alert(1)'] }],
    ['data for one', { redirect_uris: ['data:text/html,x'] }],
    ['plain http elsewhere', { redirect_uris: ['http://agent.example/'] }],
    ['a fragment', { redirect_uris: ['https://agent.example/#x'] }],
    ['credentials in one', { redirect_uris: ['https://me:pw@agent.example/'] }],
    ['too many', { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://agent.example/${at}`) }],
    ['another grant', { grant_types: ['client_credentials'] }],
  ])('with %s is not registered', async (_, metadata) => {
    const { status, body } = await post('/oauth2/register', { redirect_uris: [redirectUri], ...metadata });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^invalid_(redirect_uri|client_metadata)$/);
  });

  test('has its name shown on one line, as text', async () => {
    const clientId = await register({ client_name: ' <b>Bank</b>\u202e\n ok ' });
    const shown = await page(visitor(), await attempt({ client_id: clientId }));
    expect(shown.html).toContain('Connect &lt;b&gt;Bank&lt;/b&gt; ok');
  });

  describe('that names a document of its own', () => {
    let documents: Server;
    let base: string;
    let answers: Record<string, { status?: number; location?: string; body?: unknown }> = {};
    beforeAll(async () => {
      documents = createServer((request, response) => {
        const found = answers[request.url ?? ''] ?? { status: 404 };
        response.writeHead(found.status ?? 200, found.location ? { location: found.location } : {});
        response.end(typeof found.body === 'string' ? found.body : JSON.stringify(found.body ?? {}));
      });
      await new Promise<void>((resolve) => documents.listen(0, '127.0.0.1', resolve));
      base = `http://127.0.0.1:${(documents.address() as AddressInfo).port}`;
      const metadata = { client_name: 'Documented', redirect_uris: [redirectUri] };
      answers = {
        '/good': { body: { ...metadata, client_id: `${base}/good` } },
        '/other': { body: { ...metadata, client_id: `${base}/good` } },
        '/moved': { status: 302, location: `${base}/good` },
        '/long': {
          body: JSON.stringify({ ...metadata, client_id: `${base}/long`, filler: 'x'.repeat(20_000) }),
        },
        '/bad': { body: 'not json' },
      };
    });
    afterAll(() => documents.close());

    test('needs no registration', async () => {
      const tried = await attempt({ client_id: `${base}/good` });
      expect((await page(visitor(), tried)).html).toContain('Connect Documented');
      const code = codeOf(await decide(visitor(), tried, 'start'));
      expect((await exchange(tried, code)).status).toBe(200);
    });

    test.each(['/other', '/moved', '/long', '/bad', '/none', '/'])('is refused with %s', async (path) => {
      expect((await page(visitor(), await attempt({ client_id: `${base}${path}` }))).status).toBe(400);
    });
  });
});

test('the metadata names every endpoint, for the shop and for /mcp', async () => {
  const read = async (path: string) =>
    (await (await fetch(shop.url + path)).json()) as Record<string, unknown>;
  expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
    authorization_endpoint: `${shop.url}/oauth2/authorize`,
    registration_endpoint: `${shop.url}/oauth2/register`,
    introspection_endpoint: `${shop.url}/oauth2/introspect`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    client_id_metadata_document_supported: true,
  });
  expect(await read('/.well-known/oauth-protected-resource/mcp')).toMatchObject({
    resource: `${shop.url}/mcp`,
    authorization_servers: [shop.url],
  });
});

test('a page of another origin may register, exchange and read the metadata', async () => {
  const headers = {
    origin: 'https://inspector.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  };
  for (const path of ['/oauth2/register', '/oauth2/token', '/agent/auth']) {
    const answer = await fetch(shop.url + path, { method: 'OPTIONS', headers });
    expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
      path,
      204,
      '*',
    ]);
  }
  const metadata = await fetch(`${shop.url}/.well-known/oauth-authorization-server`, { headers });
  expect(metadata.headers.get('access-control-allow-origin')).toBe('*');
});
