import { readFileSync } from 'node:fs';

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** The version of this installation, by its package.json. */
export const version: string = manifest.version;
