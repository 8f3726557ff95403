import enums from './enums.json' with { type: 'json' };

export type Country = { name: string; alpha_3: string; continent: string; sales_region: string | null };

export const continents: readonly string[] = enums.continents;
export const salesRegions: readonly string[] = enums.sales_regions;
export const countries: ReadonlyMap<string, Country> = new Map(Object.entries(enums.countries));

/** ISO 3166-1 alpha-2 codes of all countries. */
export const countryCodes: readonly string[] = [...countries.keys()];

/** Country by ISO 3166-1 alpha-2 code in capitals; null if there is none. */
export function country(code: string): Country | null {
  return countries.get(code) ?? null;
}

/** Country codes of a continent or sales region; empty for any other name. */
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
