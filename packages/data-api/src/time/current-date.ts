import { define } from '../operation.ts';
import * as Schema from '../schema/schema.ts';
import * as Wording from '../schema/wording.ts';
import * as Zone from './zone.ts';

const zoneDefault = 'America/New_York';
const zoneCharactersMax = 100;

/** `POST /v2/utils/current-date`: the current time in a time zone. */
export const currentDate = define({
  id: 'utils.current_date',
  method: 'POST',
  path: '/v2/utils/current-date',
  summary: 'Current date and time',
  about: 'Returns the current date and time in a time zone. The body is optional.',
  cost: 'Free.',
  acceptsForms: false,
  bodyIsOptional: true,
  limited: true,
  request: Schema.named(
    'CurrentDateRequest',
    Schema.object({
      region: Schema.about(
        'An IANA time zone.',
        Schema.optional(Schema.text({ min: 1, max: zoneCharactersMax }), zoneDefault),
      ),
    }),
  ),
  answer: Schema.named(
    'CurrentDateAnswer',
    Schema.object({
      datetime: Schema.about('`YYYY-MM-DD HH:MM:SS ±HH:MM`.', Schema.text()),
      timestamp: Schema.about('Seconds since 1970-01-01 UTC.', Schema.integer(0, Number.MAX_SAFE_INTEGER)),
      timezone: Schema.text(),
      timezone_name: Schema.text(),
    }),
  ),
  example: {
    request: { region: 'America/New_York' },
    answer: {
      datetime: '2026-11-12 12:48:25 -05:00',
      timestamp: 1_794_505_705,
      timezone: 'America/New_York',
      timezone_name: '(GMT-05:00) New York',
    },
  },
  prepare({ region }, { nowMs }) {
    const zone = Zone.find(region);
    if (zone === null) {
      return {
        kind: 'invalid',
        faults: [{ field: 'region', message: Wording.invalidValue(region, Zone.names()) }],
      };
    }
    const { date, time, offset } = Zone.show(zone, nowMs);
    const body = {
      datetime: `${date} ${time} ${offset}`,
      timestamp: Math.floor(nowMs / 1_000),
      timezone: zone,
      timezone_name: `(GMT${offset}) ${Zone.place(zone)}`,
    };
    return { kind: 'ready', recordsMax: 0, run: async () => ({ body, recordsUsed: 0 }) };
  },
});
