import { define } from '../operation.ts';
import * as Company from '../records/company.ts';
import * as Schema from '../schema/schema.ts';
import * as Headcounts from './headcounts.ts';

const country = Schema.about(
  'ISO 3166-1 alpha-2 code, or `unknown` for people whose country is not known.',
  Schema.text(),
);

/** `POST /v2/enrichment/company-distribution-by-country`: where the employees of a company are. */
export const distributionByCountry = define({
  id: 'enrichment.company_distribution_by_country',
  method: 'POST',
  path: '/v2/enrichment/company-distribution-by-country',
  api: '/enrichment/company-distribution-by-country',
  summary: 'Headcount by country',
  about:
    'Counts the employees of one company by the country they are in, the most numerous first. A company that is not in the data set, or has no employees there, has an empty distribution, which costs nothing.',
  cost: '1 record where there are employees to count, else none.',
  acceptsForms: false,
  limited: true,
  request: Headcounts.request,
  answer: Headcounts.answer('DistributionByCountryAnswer', { country }),
  example: {
    request: { company_network_url: Company.example.network_url },
    answer: {
      company_network_url: Company.example.network_url,
      total_employees: 412,
      distribution: [
        { country: 'DE', count: 309, percentage_ratio: 75 },
        { country: 'BR', count: 94, percentage_ratio: 22.82 },
        { country: 'unknown', count: 9, percentage_ratio: 2.18 },
      ],
    },
  },
  prepare: (body, call) =>
    Headcounts.prepare(body.company_network_url, call, 'country', call.data.companies.headcountByCountry),
});
