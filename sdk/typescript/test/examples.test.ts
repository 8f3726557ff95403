import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import * as LocalServer from './local-server.ts';
import { answerTo } from './suite-answers.ts';

describe('every example of the README and of the sources runs:', () => {
  const folder = new URL('../.examples/js/', import.meta.url);
  const { log } = console;
  let server: LocalServer.LocalServer;

  before(async () => {
    server = await LocalServer.start((request, response) => {
      const { status, body, headers } = answerTo(request.method, request.url);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    process.env.SLUICE_BASE_URL = server.url;
    process.env.SLUICE_API_KEY = 'sk_test';
    console.log = () => {};
  });
  after(async () => {
    console.log = log;
    await server.close();
  });

  const examples = readdirSync(folder).filter((name) => name.endsWith('.js') && !name.startsWith('program-'));
  it('there are some', () => assert.ok(examples.length > 25, `${examples.length} examples`));
  for (const name of examples) {
    it(name, async () => {
      const sent = server.requests.length;
      await import(new URL(name, folder).href);
      // Only the receiver of webhooks sends nothing.
      const isReceiver = readFileSync(new URL(name, folder), 'utf8').includes('verifyWebhook');
      if (!isReceiver) assert.ok(server.requests.length > sent, 'it sent nothing');
    });
  }
});
