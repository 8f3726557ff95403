import * as Company from '../entries/company.ts';
import * as Email from '../entries/email.ts';
import * as Field from '../entries/field.ts';
import * as Job from '../entries/job.ts';
import type { Kind } from '../entries/kind.ts';
import * as Person from '../entries/person.ts';
import * as Phone from '../entries/phone.ts';
import * as Schema from '../schema/schema.ts';

const { line } = Field;

/** Columns of CSV files by kind: the fields of the entries, and columns that become part of other entries. */
const schemas: Readonly<Record<Kind, Schema.Schema>> = {
  companies: Company.company,
  people: Schema.object({
    ...Schema.fieldsOf(Person.person),
    email: line,
    email_verified_at: line,
    email_status: line,
    phone: line,
    mobile_phone: line,
    company: Company.company,
  }),
  jobs: Schema.object({ ...Schema.fieldsOf(Job.job), company_domain: line }),
  emails: Schema.object({ ...Schema.fieldsOf(Email.email), status: line }),
  phones: Schema.object({ ...Schema.fieldsOf(Phone.phone), email: line }),
};

/** Schema of the columns of a CSV file of the kind. */
export function columnSchemaOf(kind: Kind): Schema.Schema {
  return schemas[kind];
}

/** Columns of which a file needs at least one of each group. */
export const needed: Readonly<Record<Kind, readonly (readonly string[])[]>> = {
  companies: [['name']],
  people: [['network_url', 'email', 'full_name', 'first_name', 'last_name']],
  jobs: [['title'], ['posted_at']],
  emails: [['email']],
  phones: [['phone'], ['person_network_url', 'email']],
};
