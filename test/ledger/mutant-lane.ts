import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LaneClass } from './world.ts';

const ledger = new URL('../../src/ledger/', import.meta.url);

/** The lane with `from` replaced by `to` somewhere in the ledger's source: a lane without one of its safeguards. */
export async function mutate(folder: string, from: string, to: string): Promise<LaneClass> {
  const copy = await mkdtemp(join(folder, 'mutant-'));
  let found = 0;
  for (const name of (await readdir(ledger)).filter((file) => file.endsWith('.ts'))) {
    const source = await readFile(new URL(name, ledger), 'utf8');
    found += source.split(from).length - 1;
    const placed = source
      .replace(from, to)
      .replace(/from '(\.\.\/[^']+)'/g, (_, file) => `from '${new URL(file, ledger).pathname}'`);
    await writeFile(join(copy, name), placed);
  }
  if (found !== 1) throw new Error(`the ledger has this ${found} times, not once: ${from}`);
  return (await import(/* @vite-ignore */ pathToFileURL(join(copy, 'lane.ts')).href)).Lane;
}
