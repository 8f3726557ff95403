import * as PersonUrl from '../filters/person-url.ts';
import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Found from './found.ts';

/** `POST /v2/enrichment/phone`: a US number of a person. */
export const phone = define({
  id: 'enrichment.phone',
  method: 'POST',
  path: '/v2/enrichment/phone',
  summary: 'Phone number of a person',
  about:
    'Returns the mobile number of one person, or the direct number if there is no mobile one. Only numbers of the United States are known.',
  cost: '1 record where found, else none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named('PhoneRequest', Schema.object({ person_network_url: PersonUrl.personField })),
  answer: Schema.named(
    'PhoneAnswer',
    Schema.object({ found: Found.field, phone: Schema.about('In E.164.', Schema.nullable(Schema.text())) }),
  ),
  example: {
    request: { person_network_url: Found.personExample.network_url },
    answer: { found: true, phone: '+16175550142' },
  },
  prepare(body, call) {
    const ref = PersonUrl.parsed(body.person_network_url);
    const run = async () => {
      const number = await call.data.contacts.phone(ref);
      return { body: { found: number !== null, phone: number }, recordsUsed: number === null ? 0 : 1 };
    };
    return { kind: 'ready', recordsMax: 1, run };
  },
});
