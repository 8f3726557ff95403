import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as Description from '../../src/catalog/description.ts';
import { download } from '../../src/cli/description-download.ts';

/** The author of a description is a stranger: it must not choose files of this machine, or of its network. */
let server: Server;
let origin: string;
let folder: string;
let visited: string[] = [];
const files = new Map<string, string>();

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    visited.push(url);
    const to = { '/moved/openapi.json': '/real/openapi.json', '/real/away.json': '/internal' }[url];
    if (to !== undefined) return void response.writeHead(302, { location: to }).end();
    const text = files.get(url);
    response.writeHead(text === undefined ? 404 : 200).end(text);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  files.set('/internal', '{"description":"of the network"}');
  files.set('/real/part.json', '{"type":"object","description":"a part"}');
});
afterAll(() => void server?.close());
beforeEach(async () => {
  if (folder) await rm(folder, { recursive: true });
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  await writeFile(join(folder, 'shop.env'), 'UPSTREAM_API_KEY=of-this-machine\n');
  await writeFile(join(folder, 'account.json'), '{"description":"of-this-machine"}');
  visited = [];
});

const described = (schema: string) =>
  `{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{"description":"","content":{"application/json":{"schema":${schema}}}}}}}}}`;

test.each([
  ['in an escape', described('{"\\u0024ref":"account.json"}')],
  ['of the settings', described('{"\\u0024ref":"shop.env"}')],
  ['with a tag', described('{$ref: !!str account.json}')],
  ['as an explicit key', described('{? $ref : account.json}')],
  ['with an anchor', described('{$ref: &a account.json}')],
  ['in a slash of another system', described('{"$ref":"x/..%2faccount.json"}')],
])('a downloaded description with a reference %s reads no file beside it', async (_, text) => {
  files.set('/real/openapi.json', text);
  const file = await download(`${origin}/real/openapi.json`, folder).catch(() => null);
  if (file !== null) {
    const read = await Description.read(file);
    expect(JSON.stringify(read)).not.toContain('of-this-machine');
  }
  for (const name of await readdir(folder))
    if (name.startsWith('upstream'))
      expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/account|shop\.env/);
});

test('its parts are found beside the address that a redirect led to, and may not be redirected themselves', async () => {
  files.set('/real/openapi.json', described('{"$ref":"part.json"}'));
  const file = await download(`${origin}/moved/openapi.json`, folder);
  expect(await readFile(file, 'utf8')).toContain('a part');
  files.set('/real/openapi.json', described('{"$ref":"away.json"}'));
  await expect(download(`${origin}/moved/openapi.json`, folder)).rejects.toThrow('cannot be downloaded');
  expect(visited).not.toContain('/internal');
});

test('a description that was saved by hand reads no settings beside it', async () => {
  const file = join(folder, 'openapi.json');
  await writeFile(file, described('{"$ref":"shop.env"}'));
  const read = await Description.read(file);
  expect(read).toEqual({
    ok: false,
    reason: 'refers to shop.env: only .json, .yaml and .yml files are read',
  });
});
