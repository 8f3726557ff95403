import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Receipt } from 'mppx';
import { Mppx, tempo } from 'mppx/client';
import { createClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import * as Quotes from '../support/running-quotes.mjs';

const cliMsMax = 60_000;
const question = '{"goal":"leads"}';

let quotes;
let rpc;
let home;
before(async () => {
  quotes = await Quotes.open();
  rpc = await openRpc();
  home = await mkdtemp(join(tmpdir(), 'sluice-mppx-home-'));
});
after(async () => {
  await quotes?.close();
  await rpc?.close();
  if (home) await rm(home, { recursive: true, force: true });
});

test('the stock command line proves its wallet and is advised, by a chain that knows nothing but its number', async () => {
  const key = newKey();
  const { code, stdout, log } = await mppx(key);
  assert.equal(code, 0, log);
  const answer = JSON.parse(stdout);
  assert.equal(answer.guide, 'leads');
  assert.equal(answer.wallet, privateKeyToAccount(key).address.toLowerCase());
  assert.match(log, /^> Authorization: Payment /m);
  assert.match(log, /^< payment-receipt: /m);
});

test('the same wallet may ask again, and is given no account by it', async () => {
  const key = newKey();
  const answers = [await mppx(key), await mppx(key)].map(({ stdout }) => JSON.parse(stdout));
  for (const answer of answers) {
    assert.equal(answer.wallet, privateKeyToAccount(key).address.toLowerCase());
    assert.equal('access_token' in answer, false);
  }
});

test('the library’s own fetch proves a wallet and reads the receipt', async () => {
  const client = Mppx.create({
    methods: [tempo.charge({ account: privateKeyToAccount(newKey()), getClient: () => viemClient() })],
    polyfill: false,
  });
  const answer = await client.fetch(quotes.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: question,
  });
  assert.equal(answer.status, 200);
  const receipt = Receipt.deserialize(answer.headers.get('payment-receipt'));
  assert.equal(receipt.method, 'tempo');
  assert.equal(receipt.status, 'success');
});

function newKey() {
  return `0x${randomBytes(32).toString('hex')}`;
}

function viemClient() {
  return createClient({
    chain: { id: 42431, name: 'test', rpcUrls: { default: { http: [rpc.url] } } },
    transport: http(rpc.url),
  });
}

/** Runs the published command line as it is: its answer is on stdout, its log on stderr. */
function mppx(key) {
  const bin = join(import.meta.dirname, 'node_modules/mppx/dist/bin.js');
  const env = { PATH: process.env.PATH, HOME: home, MPPX_PRIVATE_KEY: key, MPPX_RPC_URL: rpc.url };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [bin, '-vv', '-X', 'POST', '-J', question, quotes.url],
      { env, timeout: cliMsMax },
      (error, stdout, log) => resolve({ code: error ? error.code : 0, stdout, log }),
    );
  });
}

/** A node of the test chain that knows its number and nothing else. */
async function openRpc() {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const reply = ({ id, method }) =>
      method === 'eth_chainId'
        ? { jsonrpc: '2.0', id, result: '0xa5bf' }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'not here' } };
    const calls = JSON.parse(text);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(reply) : reply(calls)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
