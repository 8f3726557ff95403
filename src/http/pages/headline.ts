import type { Catalog } from '../../catalog/catalog.ts';
import type { Texts } from '../../text/texts.ts';

/** Longer sentences are no headlines. */
const charsMax = 100;
const namesMax = 3;

export type Headline = { title: string; lead: string };

/**
 * Returns the headline of the start page, which says what is sold: the first sentence of the shop's description, with the rest of it as `lead`.
 * It names the first services if that sentence is too long or missing.
 */
export function headlineOf(
  texts: Texts,
  { storefront, services }: Pick<Catalog, 'storefront' | 'services'>,
): Headline {
  const description = storefront.description.replace(/\s+/g, ' ').trim();
  const [first] = new Intl.Segmenter(texts.language, { granularity: 'sentence' }).segment(description);
  const sentence = first?.segment.trim().replace(/[.。]$/u, '') ?? '';
  if (sentence !== '' && sentence.length <= charsMax && sentence !== storefront.name)
    return { title: sentence, lead: description.slice(first?.segment.length).trim() };
  return { title: namesOf(texts, services), lead: description };
}

/** The first services by name: `People search, Company search and 19 more`. */
export function namesOf(texts: Texts, services: Catalog['services']): string {
  const isLong = services.length > namesMax;
  const names = services.slice(0, isLong ? namesMax - 1 : namesMax).map(({ name }) => name);
  if (!isLong) return new Intl.ListFormat(texts.language).format(names);
  return texts.text('shop.and_more', { names: names.join(', '), count: services.length - names.length });
}
