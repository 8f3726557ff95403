import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { WriterClass } from './world.ts';

const ledger = new URL('../../src/ledger/', import.meta.url);

/** Returns the writer of a copy of the ledger in which `from`, which must occur once, is replaced by `to`: it lacks one safeguard. */
export async function mutate(folder: string, from: string, to: string): Promise<WriterClass> {
  const copy = await mkdtemp(join(folder, 'ledger-'));
  let found = 0;
  for (const name of (await readdir(ledger)).filter((file) => file.endsWith('.ts'))) {
    const source = await readFile(new URL(name, ledger), 'utf8');
    found += source.split(from).length - 1;
    await writeFile(join(copy, name), place(source.replace(from, () => to)));
  }
  if (found !== 1) throw new Error(`the ledger has this ${found} times: ${from}`);
  return (await import(/* @vite-ignore */ pathToFileURL(join(copy, 'ledger-writer.ts')).href)).LedgerWriter;
}

/** Resolves an import: modules that are not copied, or must be shared (the errors of the ledger), come from their original path. */
function place(source: string): string {
  return source
    .replace(/from '(@sluice\/[^']+)'/g, (_, name) => `from '${fileURLToPath(import.meta.resolve(name))}'`)
    .replace(
      /from '(\.\.\/[^']+|\.\/ledger-store\.ts)'/g,
      (_, file) => `from '${fileURLToPath(new URL(file, ledger))}'`,
    );
}
