import enums from './enums.json' with { type: 'json' };

export const industries: readonly string[] = enums.industries;
/** Not an industry, but the bucket of companies that have none. */
export const industryUnknown = 'Unknown';
export const sizes: readonly string[] = enums.company_size_bands;
export const companyTypes: readonly string[] = enums.company_types;
export const seniorities: readonly string[] = enums.seniority;
export const employmentTypes: readonly string[] = enums.employment_types;
export const workArrangements: readonly string[] = enums.work_arrangements;

export type Country = { name: string; continent: string; sales_region: string | null };
const countries = new Map<string, Country>(Object.entries(enums.countries));

/** What is known of a country by its ISO 3166-1 alpha-2 code. */
export function country(code: string): Country | null {
  return countries.get(code) ?? null;
}
