import type { Setting } from './setting.ts';
import * as Schema from './setting-schemas.ts';

/** The settings of the seller's events (docs/events.md). */
export const eventSettings = {
  EVENTS_INCLUDE_EMAIL: {
    schema: Schema.onOff,
    default: 'off',
    restart: true,
    about:
      '`on` adds the address that an account has proved to each event about it ([events.md](events.md#personal-data)).',
  },
  EVENTS_PRIVATE_ADDRESSES: {
    schema: Schema.onOff,
    default: 'off',
    restart: true,
    about:
      '`on` delivers events to addresses of your own network too, over https. The persons who add endpoints can then make the shop send requests there.',
  },
} satisfies Record<string, Setting>;

/** Rules for the delivery of events. `allows`: the addresses that endpoints may have. */
export type EventRules = { includesEmail: boolean; allows: { local: boolean; private: boolean } };

/** Reads EVENTS_*. A shop on this machine also delivers to this machine, over http. */
export function readEventRules(
  read: (name: keyof typeof eventSettings) => boolean,
  publicUrl: string,
): EventRules {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(publicUrl).hostname);
  return {
    includesEmail: read('EVENTS_INCLUDE_EMAIL'),
    allows: { local: isLocal, private: read('EVENTS_PRIVATE_ADDRESSES') },
  };
}
