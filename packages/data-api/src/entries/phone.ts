import * as Schema from '../schema/schema.ts';
import * as Field from './field.ts';
import { personLink } from './person.ts';

const kinds = ['mobile', 'direct'];

/** A phone number of a person in E.164. */
export const phone = Schema.object({
  person_network_url: personLink,
  phone: Field.needed.lineThat(
    (text) => /^\+[1-9]\d{6,14}$/.test(text),
    'Expected E.164, such as +12125550123',
  ),
  kind: Field.choice(kinds),
});
export type PhoneEntry = Schema.Value<typeof phone>;
