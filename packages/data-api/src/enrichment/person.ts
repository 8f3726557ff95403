import * as PersonUrl from '../filters/person-url.ts';
import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Found from './found.ts';

/** `POST /v2/enrichment/person`: the profile of one person. */
export const person = define({
  id: 'enrichment.person',
  method: 'POST',
  path: '/v2/enrichment/person',
  summary: 'Profile of a person',
  about:
    'Returns the profile of one person with the full career. If the person is not in the data set, `found` is false and the call costs nothing.',
  cost: '1 record where found, else none.',
  acceptsForms: false,
  limited: true,
  request: Schema.named('PersonRequest', Schema.object({ person_network_url: PersonUrl.personField })),
  answer: Found.personAnswer,
  example: {
    request: { person_network_url: Found.personExample.network_url },
    answer: { found: true, person: Found.personExample },
  },
  prepare(body, call) {
    const ref = PersonUrl.parsed(body.person_network_url);
    const run = async () => Found.person(await call.data.contacts.person(ref));
    return { kind: 'ready', recordsMax: 1, run };
  },
});
