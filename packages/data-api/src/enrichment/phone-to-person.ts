import * as PhoneNumber from '../filters/phone-number.ts';
import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Found from './found.ts';

/** `POST /v2/enrichment/phone-to-person`: the person with a US phone number. */
export const phoneToPerson = define({
  id: 'enrichment.phone_to_person',
  method: 'POST',
  path: '/v2/enrichment/phone-to-person',
  summary: 'Person behind a US phone number',
  about:
    'Returns the full profile of the person with this number. Only numbers of the United States are known; for other numbers `found` is false and the call costs nothing.',
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
