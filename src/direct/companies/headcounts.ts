import * as NetworkUrl from '../filters/network-url.ts';
import type { Call, Prepared } from '../operation.ts';
import * as Distribution from '../records/distribution.ts';
import * as Schema from '../schema/schema.ts';

const bucketsMax = 300;

export const request = Schema.named(
  'DistributionRequest',
  Schema.object({ company_network_url: NetworkUrl.companyUriField }),
);

/** The answer whose buckets have `label` besides their count and share. */
export function answer<L extends Record<string, Schema.Schema>>(name: string, label: L) {
  const bucket = Schema.object({
    ...label,
    count: Distribution.count,
    percentage_ratio: Distribution.share,
  });
  return Schema.named(
    name,
    Schema.object({
      company_network_url: Schema.text(),
      total_employees: Distribution.count,
      distribution: Schema.list(bucket, bucketsMax),
    }),
  );
}

/** Counts the employees of the company meant; each count of `of` becomes a bucket under `label`. */
export function prepare(
  url: string,
  call: Call,
  label: string,
  of: (companyId: number) => Promise<Distribution.Headcount[]>,
): Prepared {
  const ref = NetworkUrl.parsed(url);
  const run = async () => {
    const company = await call.data.companies.find(ref);
    const headcounts = company ? await of(company.id) : [];
    const total = Distribution.total(headcounts);
    return {
      body: {
        company_network_url: NetworkUrl.companyUrl(company ? { kind: 'slug', slug: company.slug } : ref),
        total_employees: total,
        distribution: headcounts.map((headcount) => ({
          [label]: headcount.label,
          count: headcount.count,
          percentage_ratio: Distribution.percentage(headcount.count, total),
        })),
      },
      recordsUsed: total > 0 ? 1 : 0,
    };
  };
  return { kind: 'ready', recordsMax: 1, run };
}
