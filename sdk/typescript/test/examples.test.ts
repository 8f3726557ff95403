import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import * as LocalServer from './local-server.ts';
import * as SuiteCase from './suite-case.ts';

/** Responses of the suite's service to a successful call, and to a purchase without a payment. */
const answers = new Map<string, { status: number; body: unknown }>();
for (const { file, cases } of SuiteCase.all()) {
  for (const { request, answer } of cases.flatMap(({ wire = [] }) => wire)) {
    const isShown = file === 'operations.json' || file === 'storefront.json';
    const path = request && `${request.method} ${new URL(request.url).pathname}`;
    if (!isShown || !path || answers.has(path) || answer.body === undefined) continue;
    answers.set(path, { status: answer.status ?? 200, body: answer.body });
  }
}

describe('every example of the README, of the sources and of examples/ runs:', () => {
  const folder = new URL('../.examples/js/', import.meta.url);
  const { log } = console;
  let server: LocalServer.LocalServer;

  before(async () => {
    server = await LocalServer.start((request, response) => {
      const { status, body } = answers.get(`${request.method} ${request.url}`) ?? { status: 404, body: {} };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    process.env.SLUICE_BASE_URL = server.url;
    process.env.SLUICE_API_KEY = 'sk_test';
    console.log = () => {};
  });
  after(async () => {
    console.log = log;
    await server.close();
  });

  const examples = readdirSync(folder).filter((name) => name.endsWith('.js'));
  it('there are some', () => assert.ok(examples.length > 25, `${examples.length} examples`));
  for (const name of examples) {
    it(name, async () => {
      const sent = server.requests.length;
      await import(new URL(name, folder).href);
      // A sentence about how to make a client sends nothing.
      assert.ok(server.requests.length > sent, 'it sent nothing');
    });
  }
});
