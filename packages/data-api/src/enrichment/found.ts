import * as NetworkUrl from '../filters/network-url.ts';
import type { Outcome } from '../operation.ts';
import * as Person from '../records/person.ts';
import * as Schema from '../schema/schema.ts';

/** The `found` field of operations that return at most one record. */
export const field = Schema.about('True if the data set has the requested record.', Schema.flag());

/** Response of the operations that look for one person. */
export const personAnswer = Schema.named(
  'PersonAnswer',
  Schema.object({ found: field, person: Schema.nullable(Person.person) }),
);

export function person(found: Person.Person | null): Outcome {
  return { body: { found: found !== null, person: found }, recordsUsed: found === null ? 0 : 1 };
}

/** A person of the sample data, for examples. */
export const personExample: Person.Person = {
  first_name: 'Naomi',
  last_name: 'Whitaker',
  full_name: 'Naomi Whitaker',
  nickname: null,
  civility_title: null,
  headline: 'Director of Operations | @Tessera Health',
  about_me: null,
  location: {
    city: 'Boston',
    state_code: 'MA',
    country_code: 'US',
    continent: 'North America',
    postal_code: null,
    street_address: null,
  },
  network_url: `${NetworkUrl.origin}/in/naomi-whitaker`,
  connections_count: 500,
  profile_picture_url: null,
  experiences: [
    {
      job_title: 'Director of Operations',
      company_name: 'Tessera Health',
      company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
      company_network_id: '6bfa55c8-c663-81f2-9765-e0001b112877',
      company_domain: 'tessera-health.example',
      job_description: null,
      job_start_date: '2025-08-01',
      job_end_date: null,
      job_is_current: true,
      job_contract_type: 'Full-time',
      job_work_arrangement: 'Hybrid',
      job_location: { city: 'Boston', state_code: 'MA', country_code: 'US' },
    },
  ],
  education: [
    {
      school_name: 'Technical University of Boston',
      degree: 'Bachelor of Arts, Operations Management',
      start_date: '2000-09-01',
      end_date: '2003-07-01',
    },
  ],
  skills: ['stakeholder management', 'project management'],
  certifications: [],
};
