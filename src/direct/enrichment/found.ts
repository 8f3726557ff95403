import type { Outcome } from '../operation.ts';
import * as Person from '../records/person.ts';
import * as Schema from '../schema/schema.ts';

/** The field of every answer that has one record or none. */
export const field = Schema.about('Whether the data set has what was asked for.', Schema.flag());

/** The answer of every operation that looks for one person. */
export const personAnswer = Schema.named(
  'PersonAnswer',
  Schema.object({ found: field, person: Schema.nullable(Person.person) }),
);

export function person(found: Person.Person | null): Outcome {
  return { body: { found: found !== null, person: found }, recordsUsed: found === null ? 0 : 1 };
}

/** One of the people of the sample. */
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
  network_url: 'https://www.network.example/in/naomi-whitaker',
  connections_count: 500,
  profile_picture_url: null,
  experiences: [
    {
      job_title: 'Director of Operations',
      company_name: 'Tessera Health',
      company_network_url: 'https://www.network.example/company/tessera-health',
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
