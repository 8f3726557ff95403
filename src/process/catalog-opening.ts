import { setImmediate as turn } from 'node:timers/promises';
import * as Advisor from '@sluice/advisor/advisor';
import type { LoadedCatalog } from '../catalog/file.ts';
import * as CatalogFile from '../catalog/file.ts';
import * as Match from '../catalog/match.ts';
import type { Config } from '../config.ts';
import * as Paths from '../discovery/paths.ts';
import { priceList } from '../discovery/price-list.ts';
import { openReference, type Reference, type ReferenceContext } from '../discovery/reference.ts';

/** The parts of a shop that are built from its catalogue and the description of its upstream alone. */
export type OpenedCatalog = { advisor: Advisor.Advisor; reference: Reference };

/** Builds the parts of a shop from a catalogue. Throws when it cannot be sold: then a shop with it would not start. */
export async function openCatalog(
  { catalog, document }: Pick<LoadedCatalog, 'catalog' | 'document'>,
  { publicUrl, rails }: Pick<Config, 'publicUrl' | 'rails'>,
  offers: ReferenceContext['offers'],
): Promise<OpenedCatalog> {
  // Each of these steps takes a tenth of a second or more: running calls get their turn between them.
  await turn();
  const prices = priceList(catalog, publicUrl);
  const advisor = Advisor.openAdvisor(prices, document, publicUrl, rails, Paths.path.guide);
  await turn();
  const reference = await openReference(catalog, document, { baseUrl: publicUrl, offers });
  await turn();
  return { advisor, reference };
}

/** Why a shop would not start. `call`: the operation that is at fault, null when it is none or more than one. */
export type OpeningFault = { text: string; call: string | null; reason: string };

/** Returns why a shop with the catalogue at `path` would not start, or null. It takes the same steps as a start. */
export async function check(path: string): Promise<OpeningFault | null> {
  try {
    return await whyNotOpen(path, await CatalogFile.read(path));
  } catch (error) {
    const text = reasonOf(error);
    return { text, call: null, reason: text };
  }
}

/**
 * Returns why a shop with this catalogue would not start, or null. The operation at fault is found by opening a shop with each alone.
 * @param path the file of the catalogue, which the text names with the line of the operation
 */
export async function whyNotOpen(path: string, loaded: LoadedCatalog): Promise<OpeningFault | null> {
  const whole = await failureOf(loaded, loaded.catalog);
  if (whole === null) return null;
  for (const operation of loaded.catalog.operations) {
    const alone = { ...loaded.catalog, operations: [operation], services: [operation.service] };
    const reason = await failureOf(loaded, alone);
    if (reason === null) continue;
    const at = CatalogFile.placeOfCall(loaded.text, operation.id);
    const text = `${path}:${at.line}:${at.column} call ${operation.id} cannot be sold: ${reason}`;
    return { text, call: operation.id, reason: `cannot be sold: ${reason}` };
  }
  const { description } = loaded.catalog.upstream;
  const subject = description === '' ? 'this catalogue' : description;
  return { text: `${path}:1:1 a shop with ${subject} cannot open: ${whole}`, call: null, reason: whole };
}

async function failureOf(loaded: LoadedCatalog, catalog: LoadedCatalog['catalog']): Promise<string | null> {
  try {
    Match.compile(catalog, loaded.description);
    const options = { publicUrl: 'http://localhost:4020', rails: [] };
    await openCatalog({ ...loaded, catalog }, options, { claim: true, x402: true });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
