import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import S3rver from 's3rver';
import { bucket } from '../../src/adapters/archive/bucket.ts';

const key = {
  accessKeyId: 'S3RVER',
  secretAccessKey: 'S3RVER',
  region: 'us-east-1',
  bucket: 'shop',
  prefix: 'usage/2030',
};
let dir;
let server;
let endpoint;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 's3-'));
  server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: dir,
    configureBuckets: [{ name: 'shop' }],
  });
  endpoint = `http://127.0.0.1:${(await server.run()).port}`;
});
after(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

test('an archive is stored and read back, byte for byte', async () => {
  const path = join(dir, 'local');
  const content = Buffer.alloc(3_000_000, 'usage ');
  await writeFile(path, content);
  const store = bucket({ ...key, endpoint });
  assert.equal(await store.get('usage-2030-01-31.ndjson.zst'), null);
  await store.put('usage-2030-01-31.ndjson.zst', path);
  const read = await store.get('usage-2030-01-31.ndjson.zst');
  assert.ok(read !== null && content.equals(await buffer(read)));
});

test('an unknown access key and a bucket that does not exist are errors', async () => {
  const path = join(dir, 'local');
  await writeFile(path, 'x');
  await assert.rejects(bucket({ ...key, endpoint, accessKeyId: 'unknown' }).put('name', path), /403/);
  await assert.rejects(
    bucket({ ...key, endpoint, bucket: 'other-shop' }).put('name', path),
    /does not exist/,
  );
});
