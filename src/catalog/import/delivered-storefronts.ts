import type { Catalog } from '../catalog.ts';

/** The names and descriptions of the catalogues that come with Sluice, which the seller has not chosen. */
export const deliveredStorefronts: readonly Pick<Catalog['storefront'], 'name' | 'description'>[] = [
  {
    name: 'Prospect Data',
    description:
      'Professional profiles, companies and job postings for sales, recruiting and research. Sold by the result to people and to AI agents.',
  },
  { name: 'Language models', description: '' },
];
