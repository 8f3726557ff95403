import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import * as Shop from '../mppx/shop.mjs';

const redirectUri = 'http://127.0.0.1:8123/callback';
const local = { [oauth.allowInsecureRequests]: true };

let shop;
before(async () => {
  shop = await Shop.open();
});
after(() => shop?.close());

/** A person who opens the address of a client and starts free: the address that the browser is sent back to. */
async function startFree(address) {
  const page = await fetch(address);
  assert.equal(page.status, 200, await page.clone().text());
  const request = new URL(address).search.slice(1);
  const decided = await fetch(`${shop.url}/shop/authorize`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ request, action: 'start' }),
  });
  assert.equal(decided.status, 303, await decided.text());
  return new URL(decided.headers.get('location'));
}

async function balance(token) {
  const answer = await fetch(`${shop.url}/account`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
  return answer.json();
}

test('oauth4webapi: discovery, registration, PKCE, refresh, introspection, revocation', async () => {
  const issuer = new URL(shop.url);
  const resource = await oauth.processResourceDiscoveryResponse(
    issuer,
    await oauth.resourceDiscoveryRequest(issuer, local),
  );
  assert.deepEqual(resource.authorization_servers, [shop.url]);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...local }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'oauth4webapi', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      local,
    ),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const params = oauth.validateAuthResponse(server, client, await startFree(address.href), state);
  const none = oauth.None();
  const granted = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, none, params, redirectUri, verifier, local),
  );
  assert.equal((await balance(granted.access_token)).success ?? true, true);
  const renewed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, none, granted.refresh_token, local),
  );
  await balance(renewed.access_token);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, none, renewed.refresh_token, local),
  );
  const ended = await fetch(`${shop.url}/account`, {
    headers: { authorization: `Bearer ${renewed.access_token}` },
  });
  assert.equal(ended.status, 401);
});

test('openid-client: discovery with registration, and the code grant', async () => {
  const config = await openid.dynamicClientRegistration(
    new URL(shop.url),
    { client_name: 'openid-client', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    openid.None(),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
  );
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const back = await startFree(address.href);
  const granted = await openid.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  await balance(granted.access_token);
  await balance((await openid.refreshTokenGrant(config, granted.refresh_token)).access_token);
});

test("the MCP SDK's own flow signs in from a 401 at /mcp, and the client makes a paid call", async () => {
  const kept = {};
  const provider = {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: 'MCP', redirect_uris: [redirectUri] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.url = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
  };
  const connect = async () => {
    const client = new Client({ name: 'stock', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${shop.url}/mcp`), {
      authProvider: provider,
    });
    await client.connect(transport);
    return { client, transport };
  };
  const call = {
    name: 'jobs_company',
    arguments: { company_network_url: 'https://www.network.example/company/tessera-health', max_results: 1 },
  };
  const first = await connect();
  const found = { name: 'call_operation', arguments: { operation: call.name, arguments: call.arguments } };
  await assert.rejects(first.client.callTool(found), UnauthorizedError);
  const back = await startFree(kept.url.href);
  await first.transport.finishAuth(back.searchParams.get('code'));
  const { client } = await connect();
  const { structuredContent, isError } = await client.callTool(call);
  assert.ok(!isError);
  assert.equal(structuredContent.results_length, 1);
  const { content } = await client.callTool(found);
  assert.equal(JSON.parse(content[0].text).results_length, 1);
  // What is expired is refreshed without the person.
  const before = kept.tokens.access_token;
  assert.equal(await auth(provider, { serverUrl: `${shop.url}/mcp` }), 'AUTHORIZED');
  assert.notEqual(kept.tokens.access_token, before);
});

test('Authlib: the code grant with PKCE, and refresh', async () => {
  const { stdout } = await promisify(execFile)(
    '/usr/bin/python3',
    [join(import.meta.dirname, 'authlib_flow.py'), shop.url, redirectUri],
    { env: { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1' } },
  );
  assert.match(stdout, /^refreshed$/m);
});
