import * as Cascade from '../filters/cascade.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import type { Call, Outcome } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import type { Candidate } from './people.ts';

const resultsMax = 100;
export const resultsDefault = 10;
export const resultsWanted = Schema.integer(1, resultsMax);

export const icp = Schema.about(
  'The step of the cascade that the person matches, from 1.',
  Schema.integer(1, Cascade.stepsMax),
);
export const ranking = Schema.about('Position in the list, from 1.', Schema.integer(1, resultsMax));

/** Response schema of both waterfall operations. */
export function answer<T>(result: Schema.Schema<T>) {
  return Schema.object({
    company_network_url: Schema.text(),
    max_results: resultsWanted,
    results_length: Schema.integer(0, resultsMax),
    results: Schema.list(result, resultsMax),
  });
}

type Wanted = { company_network_url: string; cascade: readonly Cascade.Step[] };
type Found = { url: string; candidates: Candidate[] };

/** Finds up to `limit` people of the company, ordered by the step that they match. */
export async function find(
  wanted: Wanted,
  connectionsMin: number,
  limit: number,
  { data }: Call,
): Promise<Found> {
  const ref = NetworkUrl.parsed(wanted.company_network_url);
  const company = await data.companies.find(ref);
  if (company === null) return { url: NetworkUrl.companyUrl(ref), candidates: [] };
  const steps = wanted.cascade.map(Cascade.search);
  const candidates = await data.people.cascade(company.id, steps, connectionsMin, limit);
  return { url: NetworkUrl.companyUrl({ kind: 'slug', slug: company.slug }), candidates };
}

export function outcome(url: string, resultsWanted: number, results: readonly object[]): Outcome {
  const body = {
    company_network_url: url,
    max_results: resultsWanted,
    results_length: results.length,
    results,
  };
  return { body, recordsUsed: results.length };
}
