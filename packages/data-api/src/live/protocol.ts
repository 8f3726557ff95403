import { person } from '../entries/person.ts';
import * as Cascade from '../filters/cascade.ts';
import * as NetworkUrl from '../filters/network-url.ts';
import type { PersonRecord } from '../records/person.ts';
import * as Read from '../schema/read.ts';
import * as Schema from '../schema/schema.ts';
import type { Question } from './source.ts';

/** Contract between the data API and a live source: `docs/live-profiles.md`. */
export const keyHeader = 'x-api-key';
export const requestIdHeader = 'x-request-id';
const resultsMax = 100;

/** Body of a search. The step is flat, and `location` is empty for anywhere. */
const search = Schema.object({
  company_network_url: NetworkUrl.companyUriField,
  ...Schema.fieldsOf(Cascade.step),
  max_results: Schema.integer(1, resultsMax),
});

export function toBody({ companyUrl, step, limit }: Question): object {
  const location = Cascade.isAnywhere(step) ? [] : step.location;
  return { company_network_url: companyUrl, ...step, location, max_results: limit };
}

/** Parses the body of a search; null if it is invalid. */
export function toQuestion(body: unknown): Question | null {
  const reading = Read.read(search, body);
  if (reading.kind === 'invalid') return null;
  const { company_network_url: companyUrl, max_results: limit, ...step } = reading.value;
  return { companyUrl, step, limit };
}

/** `fault` describes the first invalid profile. */
export type Profiles = { profiles: PersonRecord[]; returned: number; fault: string | null };

/** Parses a response: `{"profiles": [...]}` with people as in an import. Null if it is something else. */
export function profilesOf(body: unknown): Profiles | null {
  const given = typeof body === 'object' && body !== null && 'profiles' in body ? body.profiles : null;
  if (!Array.isArray(given)) return null;
  const profiles: PersonRecord[] = [];
  let fault: string | null = null;
  for (const [index, profile] of given.slice(0, resultsMax).entries()) {
    const reading = Read.read(person, profile);
    if (reading.kind === 'valid') profiles.push(reading.value);
    else {
      const [first] = reading.faults;
      fault ??= `profiles[${index}]${first?.field ? `.${first.field}` : ''}: ${first?.message}`;
    }
  }
  return { profiles, returned: given.length, fault };
}
