import * as PhoneNumber from '../filters/phone-number.ts';
import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Found from './found.ts';

/** `POST /v2/enrichment/phone-to-person`: who is behind a US number. */
export const phoneToPerson = define({
  id: 'enrichment.phone_to_person',
  method: 'POST',
  path: '/v2/enrichment/phone-to-person',
  api: '/enrichment/phone-to-person',
  summary: 'Person behind a US phone number',
  about:
    'Returns the full profile of the person whose number it is. Only numbers of the United States are known; one of another country is `found: false`, which costs nothing.',
  cost: '1 record where found, else none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named('PhoneToPersonRequest', Schema.object({ phone: PhoneNumber.field })),
  answer: Found.personAnswer,
  example: {
    request: { phone: '+16175550142' },
    answer: { found: true, person: Found.personExample },
  },
  prepare(body, call) {
    const number = PhoneNumber.parsed(body.phone);
    const run = async () =>
      Found.person(number.kind === 'us' ? await call.data.contacts.personByPhone(number.e164) : null);
    return { kind: 'ready', recordsMax: 1, run };
  },
});
