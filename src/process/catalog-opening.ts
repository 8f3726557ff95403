import { setImmediate as turn } from 'node:timers/promises';
import * as Advisor from '@sluice/advisor/advisor';
import type { LoadedCatalog } from '../catalog/file.ts';
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

/**
 * Returns why a shop with this catalogue would not start, or null. It takes the same steps as a start.
 * @param path the file of the catalogue, which the reason names
 */
export async function whyNotOpen(path: string, loaded: LoadedCatalog): Promise<string | null> {
  try {
    Match.compile(loaded.catalog, loaded.description);
    await openCatalog(loaded, { publicUrl: 'http://localhost:4020', rails: [] }, { claim: true, x402: true });
    return null;
  } catch (error) {
    const { description } = loaded.catalog.upstream;
    const reason = error instanceof Error ? error.message : String(error);
    return `${path}:1:1 a shop with ${description === '' ? 'this catalogue' : description} cannot open: ${reason}`;
  }
}
