import * as EmailAddress from '../filters/email-address.ts';
import * as Schema from '../schema/schema.ts';
import { companyLink } from './company.ts';
import * as Field from './field.ts';
import { personLink } from './person.ts';

/** A work email of a person, as imported, with the time of its last confirmation by a mail server. */
export const email = Schema.object({
  person_network_url: personLink,
  email: Field.needed.lineThat((text) => EmailAddress.parse(text) !== null, 'Expected an email address'),
  company_network_url: companyLink,
  /** Position of the profile that it belongs to, from 1. */
  job_order: Field.maybe(Schema.integer(1, Field.itemsMax)),
  verified_at: Field.maybe(Field.moment),
});
export type EmailEntry = Schema.Value<typeof email>;
