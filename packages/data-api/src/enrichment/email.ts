import * as NetworkUrl from '../filters/network-url.ts';
import * as PersonUrl from '../filters/person-url.ts';
import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Contacts from './contacts.ts';
import * as Found from './found.ts';

const positionsMax = 1_000;
const address = Schema.text({ format: 'email' });

const workEmail = Schema.named(
  'WorkEmail',
  Schema.object({
    email: address,
    job_order_in_profile: Schema.about('Position of the profile, from 1.', Schema.integer(1, positionsMax)),
    company_network_url: Schema.nullable(Schema.text()),
    email_domain: Schema.text(),
  }),
);

/** `POST /v2/enrichment/email`: the verified work emails of a person. */
export const email = define({
  id: 'enrichment.email',
  method: 'POST',
  path: '/v2/enrichment/email',
  summary: 'Work email of a person',
  about:
    'Returns the work emails of one person that a mail server has confirmed within the last 30 days, in the order of the positions that they belong to; `email` is the first of them. Unconfirmed addresses are not returned, and addresses are never guessed.',
  cost: '1 record if found, regardless of the number of addresses, otherwise none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named('EmailRequest', Schema.object({ person_network_url: PersonUrl.personField })),
  answer: Schema.named(
    'EmailAnswer',
    Schema.object({
      found: Found.field,
      email: Schema.nullable(address),
      all_emails: Schema.list(workEmail, Contacts.emailsMax),
    }),
  ),
  example: {
    request: { person_network_url: Found.personExample.network_url },
    answer: {
      found: true,
      email: 'naomi@tessera-health.example',
      all_emails: [
        {
          email: 'naomi@tessera-health.example',
          job_order_in_profile: 1,
          company_network_url: `${NetworkUrl.origin}/company/tessera-health`,
          email_domain: 'tessera-health.example',
        },
      ],
    },
  },
  prepare(body, call) {
    const ref = PersonUrl.parsed(body.person_network_url);
    const run = async () => {
      const emails = await call.data.contacts.emails(ref, Contacts.fresh(call.nowMs));
      const [first] = emails;
      const all = emails.map(({ email, jobOrder, companySlug, domain }) => ({
        email,
        job_order_in_profile: jobOrder,
        company_network_url: companySlug && NetworkUrl.companyUrl({ kind: 'slug', slug: companySlug }),
        email_domain: domain,
      }));
      return {
        body: { found: first !== undefined, email: first?.email ?? null, all_emails: all },
        recordsUsed: first ? 1 : 0,
      };
    };
    return { kind: 'ready', recordsMax: 1, run };
  },
});
