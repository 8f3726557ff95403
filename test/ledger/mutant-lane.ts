import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LaneClass } from './world.ts';

const ledger = new URL('../../src/ledger/', import.meta.url);

/** The lane of a copy of the ledger in which `from`, found once in all of it, is `to`: a lane without one of its safeguards. */
export async function mutate(folder: string, from: string, to: string): Promise<LaneClass> {
  const copy = await mkdtemp(join(folder, 'ledger-'));
  let found = 0;
  for (const name of (await readdir(ledger)).filter((file) => file.endsWith('.ts'))) {
    const source = await readFile(new URL(name, ledger), 'utf8');
    found += source.split(from).length - 1;
    await writeFile(join(copy, name), place(source.replace(from, () => to)));
  }
  if (found !== 1) throw new Error(`the ledger has this ${found} times: ${from}`);
  return (await import(/* @vite-ignore */ pathToFileURL(join(copy, 'lane.ts')).href)).Lane;
}

/** What is not copied, or must be one and the same for all (the errors of the books), is imported from where it is. */
function place(source: string): string {
  return source.replace(
    /from '(\.\.\/[^']+|\.\/books\.ts)'/g,
    (_, file) => `from '${fileURLToPath(new URL(file, ledger))}'`,
  );
}
