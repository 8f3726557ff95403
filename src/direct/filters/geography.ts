import enums from './enums.json' with { type: 'json' };

export type Country = { name: string; continent: string; sales_region: string | null };

export const continents: readonly string[] = enums.continents;
export const salesRegions: readonly string[] = enums.sales_regions;
const countries: ReadonlyMap<string, Country> = new Map(Object.entries(enums.countries));

/** What is known of a country by its ISO 3166-1 alpha-2 code in capitals; null for what is no such code. */
export function country(code: string): Country | null {
  return countries.get(code) ?? null;
}

/** The codes of the countries of a continent or of a sales region; none for any other name. */
export function countriesOf(area: string): readonly string[] {
  return byArea.get(area) ?? [];
}

const byArea: ReadonlyMap<string, readonly string[]> = new Map(
  [...continents, ...salesRegions].map((area) => {
    const inside = [...countries].filter(([, { continent, sales_region }]) =>
      [continent, sales_region].includes(area),
    );
    return [area, inside.map(([code]) => code)];
  }),
);
