import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, look, type Screen, screens } from '../support/chromium.ts';
import * as Shop from '../support/shop.ts';

const company = 'https://www.network.example/company/tessera-health';

let shop: Shop.Shop;
let browser: Browser;
let callback: Server;
let callbackUrl: string;
let arrived = Promise.withResolvers<URLSearchParams>();

beforeAll(async () => {
  shop = await Shop.open();
  browser = await launch();
  callback = createServer((request, response) => {
    const url = new URL(request.url ?? '', callbackUrl);
    if (url.pathname === '/callback') arrived.resolve(url.searchParams);
    response.end('You may close this window.');
  });
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
  callbackUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
});
afterAll(async () => {
  callback?.close();
  await browser?.close();
  await shop?.stop();
});

/** The state of an authorization that a standard client delegates; it handles everything else itself. */
class Provider implements OAuthClientProvider {
  asked: URL | null = null;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';

  get redirectUrl() {
    return callbackUrl;
  }
  get clientMetadata() {
    return { client_name: 'Stock assistant', redirect_uris: [callbackUrl] };
  }
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

async function connect(authProvider: Provider) {
  const transport = new StreamableHTTPClientTransport(new URL(`${shop.url}/mcp`), { authProvider });
  const client = new Client({ name: 'stock', version: '1' });
  await client.connect(transport);
  return { client, transport };
}

const paidCall = {
  name: 'jobs_company',
  arguments: { company_network_url: company, max_results: 1 },
};

describe.each(Object.keys(screens) as Screen[])('on a %s screen', (screen) => {
  test('a stock MCP client signs in through the browser and makes a paid call', async () => {
    arrived = Promise.withResolvers();
    const provider = new Provider();
    const first = await connect(provider);
    const { tools } = await first.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('call_operation');
    await expect(first.client.callTool(paidCall)).rejects.toThrow();
    const asked = provider.asked;
    if (asked === null) throw new Error('the client did not begin to sign in');

    const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
    const page = await context.newPage();
    await page.goto(asked.href);
    await look(page, 'connect', screen);
    // Without `bypassCSP`, the policy itself must allow the form to redirect to the client.
    const strict = await (await browser.newContext(screens[screen])).newPage();
    await strict.goto(asked.href);
    await strict.getByRole('button', { name: 'Start free and allow' }).click();
    await strict.waitForURL(`${callbackUrl}?**`);
    const code = (await arrived.promise).get('code') ?? '';
    await first.transport.finishAuth(await arrived.promise);
    expect(code).not.toBe('');
    await first.client.close();

    const { client } = await connect(provider);
    const answer = await client.callTool(paidCall);
    expect(answer.isError ?? false).toBe(false);
    expect(answer.structuredContent).toMatchObject({ results_length: 1 });
    await client.close();

    await strict.goto(`${shop.url}/shop/account/settings`);
    expect(await strict.getByRole('row', { name: /Stock assistant/ }).count()).toBe(1);
    await strict.getByRole('button', { name: 'Disconnect Stock assistant' }).click();
    await strict.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await strict.getByText('The application is disconnected.').waitFor();
    await context.close();
    await strict.context().close();
  });
});
