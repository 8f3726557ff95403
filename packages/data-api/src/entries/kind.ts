import type { CompanyEntry } from './company.ts';
import type { EmailEntry } from './email.ts';
import type { JobEntry } from './job.ts';
import type { PersonEntry } from './person.ts';
import type { PhoneEntry } from './phone.ts';

/** The five kinds of entries that make up a data set. */
export type Entries = {
  companies: CompanyEntry;
  people: PersonEntry;
  jobs: JobEntry;
  emails: EmailEntry;
  phones: PhoneEntry;
};
export type Kind = keyof Entries;

/** Load order: entries come after those that they refer to. */
export const kinds: readonly Kind[] = ['companies', 'people', 'jobs', 'emails', 'phones'];
