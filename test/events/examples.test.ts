import { expect, test } from 'vitest';
import { exampleOf } from '../../src/http/console/pages/event-types.ts';
import { eventTypes, messageSchema } from '../../src/payment/event-data.ts';

test.each(eventTypes)(
  'the example of %s in the console is a message of that type, with every member filled',
  (type) => {
    const example = exampleOf(type);
    expect(messageSchema(type).safeParse(example).error?.issues ?? []).toEqual([]);
    expect(JSON.stringify(example)).not.toContain('""');
  },
);
