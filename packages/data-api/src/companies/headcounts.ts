import * as NetworkUrl from '../filters/network-url.ts';
import { type Call, define, type Operation, type Outcome } from '../operation.ts';
import * as Company from '../records/company.ts';
import * as Distribution from '../records/distribution.ts';
import * as Schema from '../schema/schema.ts';
import type { Companies } from './companies.ts';

const bucketsMax = 300;

const request = Schema.named(
  'DistributionRequest',
  Schema.object({ company_network_url: NetworkUrl.companyUriField }),
);

/** An operation that counts the employees of one company by some property. */
export type DistributionBy = {
  /** The property: the field of each bucket, and the end of the operation's path. */
  label: 'country' | 'department';
  labelSchema: Schema.Schema<string>;
  /** Label of employees of whom the property is not known. */
  unknown: string;
  answerName: string;
  summary: string;
  /** The property as a phrase for the description. */
  countedBy: string;
  count(companies: Companies, companyId: number): Promise<Distribution.Headcount[]>;
  /** Label and count of each bucket of the example. */
  example: readonly [label: string, count: number][];
};

export function distributionOperation(by: DistributionBy): Operation {
  const exampleHeadcounts = by.example.map(([label, count]) => ({ label, count }));
  return define({
    id: `enrichment.company_distribution_by_${by.label}`,
    method: 'POST',
    path: `/v2/enrichment/company-distribution-by-${by.label}`,
    summary: by.summary,
    about: `Counts the employees of one company by ${by.countedBy}, the most frequent first. The counts are the company's own figures, or those of its people in the data set if it has none. They add up to \`employees_on_network\`: employees whose ${by.label} is not known are counted as \`${by.unknown}\`. If the company is not in the data set, or has no employees there, the distribution is empty and the call costs nothing.`,
    cost: '1 record if there are employees to count, otherwise none.',
    acceptsForms: false,
    limited: true,
    request,
    answer: answerSchema(by),
    example: {
      request: { company_network_url: Company.example.network_url },
      answer: distribution(String(Company.example.network_url), by.label, exampleHeadcounts),
    },
    prepare(body, call) {
      const ref = NetworkUrl.parsed(body.company_network_url);
      return { kind: 'ready', recordsMax: 1, run: () => run(ref, call, by) };
    },
  });
}

function answerSchema({ answerName, label, labelSchema }: DistributionBy): Schema.Schema {
  const bucket = Schema.object({
    [label]: labelSchema,
    count: Distribution.count,
    percentage_ratio: Distribution.share,
  });
  return Schema.named(
    answerName,
    Schema.object({
      company_network_url: Schema.text(),
      total_employees: Distribution.count,
      distribution: Schema.list(bucket, bucketsMax),
    }),
  );
}

async function run(ref: NetworkUrl.CompanyRef, { data }: Call, by: DistributionBy): Promise<Outcome> {
  const company = await data.companies.find(ref);
  const headcounts = company ? await by.count(data.companies, company.id) : [];
  const url = NetworkUrl.companyUrl(company ? { kind: 'slug', slug: company.slug } : ref);
  return { body: distribution(url, by.label, headcounts), recordsUsed: headcounts.length > 0 ? 1 : 0 };
}

function distribution(url: string, label: string, headcounts: readonly Distribution.Headcount[]) {
  const total = Distribution.total(headcounts);
  return {
    company_network_url: url,
    total_employees: total,
    distribution: headcounts.map((headcount) => ({
      [label]: headcount.label,
      count: headcount.count,
      percentage_ratio: Distribution.percentage(headcount.count, total),
    })),
  };
}
