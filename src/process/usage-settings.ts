import type { Setting } from './setting.ts';
import * as Schema from './setting-schemas.ts';

/** The settings of archiving and closing usage (docs/operations.md, "Keeping usage"). */
export const usageSettings = {
  USAGE_KEEP_DAYS: {
    schema: Schema.wholeNumber(0, 3_650),
    default: '0',
    about:
      'Days after which the calls of a day are archived and removed from the database; balances, sums and proofs stay ([keeping usage](operations.md#keeping-usage)). 0 keeps all calls; otherwise at least 3.',
  },
  USAGE_ARCHIVE: {
    schema: Schema.text,
    defaultText: 'none',
    about: 'Folder for the archives of closed days, or `s3://BUCKET/PREFIX`. Required by `USAGE_KEEP_DAYS`.',
  },
  USAGE_ARCHIVE_ENDPOINT: {
    schema: Schema.origin,
    defaultText: '`https://s3.REGION.amazonaws.com`',
    about: 'Origin of the S3-compatible service of `USAGE_ARCHIVE`.',
  },
  USAGE_ARCHIVE_REGION: {
    schema: Schema.text,
    default: 'us-east-1',
    about: 'Region of the bucket of `USAGE_ARCHIVE`.',
  },
  USAGE_ARCHIVE_ACCESS_KEY_ID: { schema: Schema.text, about: 'Access key of the bucket of `USAGE_ARCHIVE`.' },
  USAGE_ARCHIVE_SECRET_ACCESS_KEY: {
    schema: Schema.text,
    secret: true,
    about:
      'Secret of the access key. It needs the rights to read and write objects, and no right to delete them.',
  },
} satisfies Record<string, Setting>;

type Read = {
  (name: 'USAGE_KEEP_DAYS'): number;
  (name: 'USAGE_ARCHIVE_REGION'): string;
  (name: Exclude<keyof typeof usageSettings, 'USAGE_KEEP_DAYS' | 'USAGE_ARCHIVE_REGION'>): string | null;
};

/** The place of archives. */
export type ArchivePlace =
  | { kind: 'folder'; path: string }
  | {
      kind: 'bucket';
      endpoint: string;
      region: string;
      bucket: string;
      prefix: string;
      accessKeyId: string;
      secretAccessKey: string;
    };

/** The retention of usage. `keepDays` is null when all calls are kept. */
export type UsageRetention = { keepDays: number | null; archive: ArchivePlace | null };

const keepDaysMin = 3;

/** Reads USAGE_*. Adds to `faults`; each starts with the name of its setting. */
export function readUsageRetention(read: Read, faults: string[]): UsageRetention {
  const keepDays = read('USAGE_KEEP_DAYS');
  const archive = readPlace(read, faults);
  if (keepDays > 0 && keepDays < keepDaysMin)
    faults.push(
      `USAGE_KEEP_DAYS must be 0 or at least ${keepDaysMin}: younger calls may still be credited back`,
    );
  if (keepDays > 0 && archive === null)
    faults.push('USAGE_ARCHIVE is missing. With USAGE_KEEP_DAYS it is required');
  return { keepDays: keepDays === 0 ? null : keepDays, archive };
}

function readPlace(read: Read, faults: string[]): ArchivePlace | null {
  const place = read('USAGE_ARCHIVE') ?? '';
  if (place === '') return null;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) return { kind: 'folder', path: place };
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?(.*)$/.exec(place) ?? [];
  if (bucket === undefined) {
    faults.push('USAGE_ARCHIVE must be a folder or s3://BUCKET/PREFIX');
    return null;
  }
  const region = read('USAGE_ARCHIVE_REGION');
  const accessKeyId = read('USAGE_ARCHIVE_ACCESS_KEY_ID') ?? '';
  const secretAccessKey = read('USAGE_ARCHIVE_SECRET_ACCESS_KEY') ?? '';
  if (accessKeyId === '' || secretAccessKey === '')
    faults.push(
      'USAGE_ARCHIVE_ACCESS_KEY_ID and USAGE_ARCHIVE_SECRET_ACCESS_KEY are required with an s3:// archive',
    );
  return {
    kind: 'bucket',
    endpoint: read('USAGE_ARCHIVE_ENDPOINT') ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    prefix: prefix.replace(/^\/+|\/+$/g, ''),
    accessKeyId,
    secretAccessKey,
  };
}
