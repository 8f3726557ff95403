import * as EmailAddress from '../filters/email-address.ts';
import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Contacts from './contacts.ts';
import * as Found from './found.ts';

/** `POST /v2/enrichment/email-to-person`: the person with a work email. */
export const emailToPerson = define({
  id: 'enrichment.email_to_person',
  method: 'POST',
  path: '/v2/enrichment/email-to-person',
  summary: 'Person behind a work email',
  about:
    'Returns the full profile of the person with this work email. Only addresses that a mail server has confirmed within the last 30 days are searched, because an older one may belong to someone else now.',
  cost: '1 record where found, else none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named('EmailToPersonRequest', Schema.object({ email: EmailAddress.field })),
  answer: Found.personAnswer,
  example: {
    request: { email: 'naomi@tessera-health.example' },
    answer: { found: true, person: Found.personExample },
  },
  prepare(body, call) {
    const email = EmailAddress.parsed(body.email);
    const span = Contacts.fresh(call.nowMs);
    const run = async () => Found.person(await call.data.contacts.personByEmail(email, span));
    return { kind: 'ready', recordsMax: 1, run };
  },
});
