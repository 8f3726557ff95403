import { openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AwsClient } from 'aws4fetch';
import type { ArchiveStore } from '../../ledger/usage-archive.ts';

/** A bucket that speaks the S3 API. */
export type Bucket = {
  /** The origin of the service, such as https://s3.eu-central-1.amazonaws.com. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The start of all keys, without slashes at its ends; may be empty. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** Time for one transfer. */
const transferMsMax = 60 * 60_000;
const shownMax = 200;
/** Responses to an object or bucket that does not exist, and to `If-None-Match: *` for an object that exists. */
const missing = 404;
const exists = 412;

/** Archives in a bucket. Objects are never deleted here; protect them with the service's object lock. */
export function bucket(options: Bucket): ArchiveStore {
  const { accessKeyId, secretAccessKey, region } = options;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 3 });
  const place = `s3://${[options.bucket, options.prefix].filter((part) => part !== '').join('/')}`;
  const address = (name: string) =>
    [options.endpoint, options.bucket, options.prefix, encodeURIComponent(name)]
      .filter((part) => part !== '')
      .join('/');
  const send = async (method: 'GET' | 'PUT', name: string, body?: Blob) => {
    const signal = AbortSignal.timeout(transferMsMax);
    const response = await client.fetch(address(name), {
      method,
      signal,
      ...(body && { body, headers: { 'content-length': String(body.size), 'if-none-match': '*' } }),
    });
    if (response.ok || [missing, exists].includes(response.status)) return response;
    const text = (await response.text()).slice(0, shownMax);
    throw new Error(`${place} answered ${method} ${name} with ${response.status}: ${text}`);
  };
  return {
    place,
    async put(name, path) {
      const response = await send('PUT', name, await openAsBlob(path));
      await response.body?.cancel();
      if (response.status === missing) throw new Error(`${place} does not exist`);
    },
    async get(name) {
      const response = await send('GET', name);
      if (response.ok && response.body !== null) return Readable.fromWeb(response.body as ReadableStream);
      await response.body?.cancel();
      return null;
    },
  };
}
