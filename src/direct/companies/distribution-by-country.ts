import * as NetworkUrl from '../filters/network-url.ts';
import { define } from '../operation.ts';
import * as Distribution from '../records/distribution.ts';
import * as Schema from '../schema/schema.ts';

const bucket = Schema.object({
  country: Schema.about(
    'ISO 3166-1 alpha-2 code, or `unknown` for people whose country is not known.',
    Schema.text(),
  ),
  count: Distribution.count,
  percentage_ratio: Distribution.share,
});

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
  request: Schema.named(
    'DistributionRequest',
    Schema.object({ company_network_url: NetworkUrl.companyUriField }),
  ),
  answer: Schema.named(
    'DistributionByCountryAnswer',
    Schema.object({
      company_network_url: Schema.text(),
      total_employees: Distribution.count,
      distribution: Schema.list(bucket, Distribution.bucketsMax),
    }),
  ),
  example: {
    request: { company_network_url: 'https://www.network.example/company/northwind-analytics' },
    answer: {
      company_network_url: 'https://www.network.example/company/northwind-analytics',
      total_employees: 412,
      distribution: [
        { country: 'DE', count: 309, percentage_ratio: 75 },
        { country: 'BR', count: 94, percentage_ratio: 22.82 },
        { country: 'unknown', count: 9, percentage_ratio: 2.18 },
      ],
    },
  },
  prepare(body, call) {
    const ref = NetworkUrl.parsed(body.company_network_url);
    const run = async () => {
      const company = await call.data.companies.find(ref);
      const headcounts = company ? await call.data.companies.headcountByCountry(company.id) : [];
      const total = Distribution.total(headcounts);
      const canonical = NetworkUrl.companyUrl(company ? { kind: 'slug', slug: company.slug } : ref);
      const distribution = headcounts.map(({ label, count }) => ({
        country: label,
        count,
        percentage_ratio: Distribution.percentage(count, total),
      }));
      return {
        body: { company_network_url: canonical, total_employees: total, distribution },
        recordsUsed: total > 0 ? 1 : 0,
      };
    };
    return { kind: 'ready', recordsMax: 1, run };
  },
});
