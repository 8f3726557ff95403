// What differs between runtimes, tried in the one that runs this: `node`, `bun run` or `deno run -A`, after `npm run build`.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Sluice } from '../dist/index.js';

const waits = [];
const clock = { now: () => Date.now(), sleep: async (ms) => void waits.push(ms) };
const seen = [];
const server = createServer((request, response) => {
  seen.push(request);
  const json = (status, body, headers) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  switch (request.url) {
    case '/v2/account/key-info':
      return json(seen.length === 1 ? 503 : 200, { valid: true });
    case '/v2/search/people':
      return json(200, {
        results: [{ full_name: `${seen.length}` }],
        cursor: seen.length < 5 ? `c${seen.length}` : null,
      });
    case '/v2/search/companies':
      return json(302, {}, { location: '/elsewhere' });
    case '/v2/enrichment/email':
      return request.socket.destroy();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const base_url = `http://127.0.0.1:${server.address().port}`;
const sluice = new Sluice({ api_key: 'sk_test', base_url, clock, random: () => 0, rate_limit_rps: null });
const person = { person_network_url: 'https://www.network.example/in/ada' };

assert.deepEqual(await sluice.account.key_info(), { valid: true });
assert.deepEqual(waits.splice(0), [500]);
assert.equal(seen[0].headers['x-api-key'], 'sk_test');
assert.match(seen[0].headers['user-agent'], /^sluice-client-typescript\//);
assert.equal((await sluice.search.people().collect()).length, 3);

await assert.rejects(sluice.search.companies(), { name: 'APIStatusError', status_code: 302 });
assert.equal(seen.at(-1).url, '/v2/search/companies');

await assert.rejects(sluice.enrichment.email(person), { name: 'APIConnectionError' });
assert.deepEqual(waits, [], 'a broken call is not repeated');

await assert.rejects(sluice.enrichment.phone(person, { timeout: 0.5 }), { name: 'APITimeoutError' });
assert.deepEqual(waits, [], 'a lost call is not repeated');

const signal = AbortSignal.timeout(200);
await assert.rejects(sluice.enrichment.phone(person, { signal }), (fault) => fault === signal.reason);

server.closeAllConnections();
await new Promise((resolve) => server.close(resolve));
await assert.rejects(sluice.account.key_info(), { name: 'APIConnectionError' });
assert.deepEqual(waits.splice(0), [500, 1000, 2000], 'a call that nobody listens to is repeated');
await assert.rejects(sluice.enrichment.email(person), { name: 'APIConnectionError' });
assert.deepEqual(waits.splice(0), [500, 1000, 2000], 'so is one that costs');
const nowhere = new Sluice({
  api_key: 'sk_test',
  base_url: 'http://nobody.invalid',
  clock,
  random: () => 0,
  rate_limit_rps: null,
});
await assert.rejects(nowhere.enrichment.email(person), { name: 'APIConnectionError' });
assert.deepEqual(waits.splice(0), [500, 1000, 2000], 'so is one to a host without an address');

const { process } = globalThis;
console.log(
  `fine in ${process.versions.bun ? 'Bun' : process.versions.deno ? 'Deno' : 'Node'} ${process.versions.bun ?? process.versions.deno ?? process.versions.node}`,
);
process.exit(0);
