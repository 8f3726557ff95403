import * as Schema from '../schema/schema.ts';
import { distributionOperation } from './headcounts.ts';

/** `POST /v2/enrichment/company-distribution-by-country`: headcount of a company by country. */
export const distributionByCountry = distributionOperation({
  label: 'country',
  labelSchema: Schema.about(
    'ISO 3166-1 alpha-2 code, or `unknown` for people whose country is not known.',
    Schema.text(),
  ),
  unknown: 'unknown',
  answerName: 'DistributionByCountryAnswer',
  summary: 'Headcount by country',
  countedBy: 'the country they are in',
  count: (companies, companyId) => companies.headcountByCountry(companyId),
  example: [
    ['DE', 309],
    ['BR', 94],
    ['unknown', 9],
  ],
});
