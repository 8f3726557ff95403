import * as Geography from '../filters/geography.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import * as Schema from '../schema/schema.ts';

const tagsMax = 500;
const aboutCharactersMax = 20_000;
const countMax = Number.MAX_SAFE_INTEGER;
const text = Schema.nullable(Schema.text());
const count = Schema.nullable(Schema.integer(0, countMax));

const hq = Schema.named(
  'Headquarters',
  Schema.object({
    city: text,
    state: text,
    country_code: text,
    country_name: text,
    region: Schema.about('Sales region: NORAM, LATAM, EMEA or APAC.', text),
    continent: text,
  }),
);

/** A company in responses. All fields are present and nullable. */
export const company = Schema.named(
  'Company',
  Schema.object({
    network_url: text,
    network_id: count,
    name: text,
    about: Schema.nullable(Schema.text({ max: aboutCharactersMax })),
    specialties: Schema.nullable(Schema.list(Schema.text(), tagsMax)),
    industry: text,
    type: Schema.about('Kind of ownership.', text),
    size: Schema.about('Headcount band.', text),
    employees_on_network: count,
    followers: count,
    founded_year: count,
    hq: Schema.nullable(hq),
    domain: text,
    website: text,
  }),
);
export type Company = Schema.Value<typeof company>;
export type Headquarters = Schema.Value<typeof hq>;

/** Headquarters with the region and continent of the country; null if nothing is known. */
export function headquarters(
  city: string | null,
  state: string | null,
  countryCode: string | null,
): Headquarters | null {
  if (city === null && state === null && countryCode === null) return null;
  const country = countryCode === null ? null : Geography.country(countryCode);
  return {
    city,
    state,
    country_code: countryCode,
    country_name: country?.name ?? null,
    region: country?.sales_region ?? null,
    continent: country?.continent ?? null,
  };
}

export const example: Company = {
  network_url: `${NetworkUrl.origin}/company/northwind-analytics`,
  network_id: 7_000_001,
  name: 'Northwind Analytics',
  about: 'Northwind Analytics turns scattered operational records into figures that people act on.',
  specialties: ['data warehousing', 'forecasting'],
  industry: 'Data Infrastructure and Analytics',
  type: 'Privately Held',
  size: '201-500',
  employees_on_network: 412,
  followers: 38_900,
  founded_year: 2011,
  hq: headquarters('Berlin', 'Berlin', 'DE'),
  domain: 'northwind-analytics.example',
  website: 'https://www.northwind-analytics.example',
};
