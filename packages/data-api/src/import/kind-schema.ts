import { company } from '../entries/company.ts';
import { email } from '../entries/email.ts';
import { job } from '../entries/job.ts';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import { person } from '../entries/person.ts';
import { phone } from '../entries/phone.ts';
import type { Schema } from '../schema/schema.ts';

const schemas: { [K in Kind]: Schema<Entries[K]> } = {
  companies: company,
  people: person,
  jobs: job,
  emails: email,
  phones: phone,
};
const singulars: { [K in Kind]: string } = {
  companies: 'company',
  people: 'person',
  jobs: 'job',
  emails: 'email',
  phones: 'phone',
};

/** Schema of the entries of a kind. */
export function schemaOf<K extends Kind>(kind: K): Schema<Entries[K]> {
  return schemas[kind];
}

/** Kind by its name in singular or plural; null if there is none. */
export function kindNamed(word: string): Kind | null {
  const folded = word.toLowerCase();
  return kinds.find((kind) => kind === folded || singulars[kind] === folded) ?? null;
}
