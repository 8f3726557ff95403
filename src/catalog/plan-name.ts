import type { Catalog } from './catalog.ts';

type Named = { readonly plans: Catalog['plans']; readonly retired?: Catalog['retired'] };

/** The name of a plan, on sale or retired; its id when it is no longer in the catalogue. */
export function nameOf({ plans, retired = [] }: Named, plan: string): string {
  return [...plans, ...retired].find(({ id }) => id === plan)?.name ?? plan;
}
