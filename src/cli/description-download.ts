import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { parse as parseYaml } from 'yaml';
import * as Description from '../catalog/description.ts';

const fetchMsMax = 30_000;
const bytesMax = 16 * 1024 * 1024;
const filesMax = 200;

/**
 * Downloads a description and stores it in `folder`, where the shop reads it at each start: `upstream.json` or `upstream.yaml`. A
 * description of several files becomes one. So the stored file refers to no other file, and its author cannot choose files of this machine
 * that the shop reads. Returns the file. Throws with a reason.
 */
export async function download(address: string, folder: string): Promise<string> {
  const { text, from } = await fetched(address, 'follow');
  const isJson = text.toString('utf8', 0, 200).trimStart().startsWith('{');
  if (references(text).length > 0) return await downloadAll(from, text, folder);
  const file = join(folder, isJson ? 'upstream.json' : 'upstream.yaml');
  await writeFile(file, text);
  return file;
}

async function downloadAll(address: string, text: Buffer, folder: string): Promise<string> {
  const root = new URL('.', address).href;
  const copies = await mkdtemp(join(tmpdir(), 'sluice-description-'));
  try {
    const main = join(copies, placeOf(address, root));
    await writeFile(main, text);
    const others = referencesIn(text, address, root);
    const open = [...others];
    const seen = new Set([address, ...others]);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.size > filesMax) throw new Error(`${address} refers to more than ${filesMax} files`);
      // A redirect could lead to a file that is not the author's.
      const { text: part } = await fetched(next, 'error');
      const file = join(copies, placeOf(next, root));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, part);
      for (const other of referencesIn(part, next, root).filter((one) => !seen.has(one))) {
        seen.add(other);
        open.push(other);
      }
    }
    const read = await Description.read(main);
    if (!read.ok) throw new Error(`${address} ${read.reason}`);
    const file = join(folder, 'upstream.json');
    await writeFile(file, `${JSON.stringify(read.document, null, 1)}\n`);
    return file;
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Returns the names of the other files that a description refers to. */
function references(text: Buffer): string[] {
  const names: string[] = [];
  const open: unknown[] = [];
  const seen = new Set<unknown>();
  try {
    // The parser that reads the description later: another one could find other references.
    open.push(parseYaml(text.toString(), { logLevel: 'error', uniqueKeys: false }));
  } catch {
    // Nothing refers to a file in a text that cannot be read.
  }
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if ('$ref' in value && typeof value.$ref === 'string' && !value.$ref.startsWith('#'))
      names.push(value.$ref.split('#')[0] ?? '');
    for (const item of Object.values(value)) open.push(item);
  }
  return names;
}

/** Returns the addresses of the other files that a text refers to, as far as they lie below `root`. */
function referencesIn(text: Buffer, address: string, root: string): string[] {
  const addresses = references(text).flatMap((name) => {
    if (/^[a-z][a-z0-9+.-]*:|^\//i.test(name) || !URL.canParse(name, address)) return [];
    const { href } = new URL(name, address);
    return href.startsWith(root) && href !== address ? [href] : [];
  });
  return [...new Set(addresses)];
}

/** Returns the place of a downloaded file relative to the folder of the copies. */
function placeOf(address: string, root: string): string {
  const path = decodeURIComponent(new URL(address).pathname.slice(new URL(root).pathname.length));
  const place = relative('.', path);
  if (place === '' || place.split(sep)[0] === '..')
    throw new Error(`${address} is not the address of a file`);
  return place;
}

/** Downloads a file. `from`: its address after redirects. */
async function fetched(
  address: string,
  redirect: 'follow' | 'error',
): Promise<{ text: Buffer; from: string }> {
  const response = await fetch(address, { redirect, signal: AbortSignal.timeout(fetchMsMax) }).catch(
    (fault: Error) => {
      throw new Error(
        `${address} cannot be downloaded (${(fault.cause as Error | undefined)?.message ?? fault.message})`,
      );
    },
  );
  if (!response.ok) throw new Error(`${address} responds with status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`${address} is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks), from: response.url };
}
