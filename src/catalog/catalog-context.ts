import type { Catalog } from './catalog.ts';
import type { Description } from './description.ts';

/** The offer: the catalogue, its address, and the ways to pay. */
export type CatalogContext = {
  readonly publicUrl: string;
  readonly catalog: Catalog;
  /** Digest of the catalogue's files (file.ts), equal in all processes with the same catalogue. */
  readonly catalogDigest: string;
  /** True when tax is added to card prices (`storefront.tax: stripe`). */
  readonly isTaxed: boolean;
  /** The payment rails that are offered: `mpp`, `card`, `x402`. */
  readonly rails: readonly string[];
  /** The parsed OpenAPI description of the upstream. */
  readonly description: Description;
  /** The OpenAPI document that `description` was parsed from; null when there is none. */
  readonly document: unknown;
};
