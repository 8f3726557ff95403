import type { JsonPointer } from '@sluice/kernel/json-pointer';
import { type ExtendRule, type ExtendSource, toExtendRule } from './extend-rule.ts';

/** The way in which several pieces of usage in one stream are combined, field by field: the last value of each field, or its largest. */
export type UsageMerge = 'last' | 'max';

/** The place of usage in events: the same in every event, or one for each kind of event (SSE `event`, or `type` in its JSON). */
export type UsagePlace =
  | { kind: 'every'; pointer: JsonPointer }
  | { kind: 'by_event'; pointers: ReadonlyMap<string, JsonPointer> };

/** The rule by which the streamed responses of an operation are metered. */
export type StreamRule = {
  /** Server-sent events (HTML Living Standard, 9.2), or one JSON text a line. */
  format: 'sse' | 'ndjson';
  /** The request field that asks for a stream. */
  when: JsonPointer | null;
  usage: {
    at: UsagePlace;
    /** The place of the combined usage in a response that is not streamed, so that one count reads both. */
    as: JsonPointer;
    merge: UsageMerge;
  };
  /** Fields that are set in a request that asks for a stream. */
  set: readonly { pointer: JsonPointer; value: boolean | number | string }[];
  /** True when an event that only carries usage is left out for a caller who did not ask for it. */
  hidesUsage: boolean;
  /** Names of events, or whole data such as `[DONE]`, that end a stream: withheld until the charge is recorded. */
  last: ReadonlySet<string>;
  /** An event that has a value here, other than null, ends a stream too. */
  lastAt: JsonPointer | null;
  /** `finish`: after the caller left, the upstream is read to its end and charged. `cancel`: it is ended and free. */
  onLeave: 'finish' | 'cancel';
  /** Maximum time of reading on after the caller left, in milliseconds. */
  finishMs: number;
  /** The charge for a complete stream without usage: nothing, or the amount held. */
  missingUsage: 'free' | 'held';
  /** The growth of its hold; without it, the worst case is held from the start. */
  extend?: ExtendRule;
};

/** The ends of the streams of OpenAI (chat and responses) and Anthropic. */
export const usualLast = [
  '[DONE]',
  'message_stop',
  'response.completed',
  'response.failed',
  'response.incomplete',
] as const;

/** The rule as the catalogue writes it, with the defaults of the schema filled in. */
export type StreamSource = {
  format: 'sse' | 'ndjson';
  when?: string;
  usage: { at: string | Readonly<Record<string, string>>; as?: string; merge: UsageMerge };
  set: Readonly<Record<string, boolean | number | string>>;
  hide_usage_unless_asked: boolean;
  last: readonly string[];
  last_at?: string;
  on_leave: 'finish' | 'cancel';
  finish_ms: number;
  missing_usage: 'free' | 'held';
  extend?: ExtendSource;
};

/** Converts a valid source. @param pointer parses a JSON Pointer that the schema has checked */
export function toStreamRule(source: StreamSource, pointer: (text: string) => JsonPointer): StreamRule {
  const { at, as, merge } = source.usage;
  const extend = toExtendRule(source.extend);
  return {
    format: source.format,
    when: source.when === undefined ? null : pointer(source.when),
    usage: {
      at:
        typeof at === 'string'
          ? { kind: 'every', pointer: pointer(at) }
          : {
              kind: 'by_event',
              pointers: new Map(Object.entries(at).map(([event, text]) => [event, pointer(text)])),
            },
      as: pointer(as ?? (typeof at === 'string' ? at : '/usage')),
      merge,
    },
    set: Object.entries(source.set).map(([text, value]) => ({ pointer: pointer(text), value })),
    hidesUsage: source.hide_usage_unless_asked,
    last: new Set(source.last),
    lastAt: source.last_at === undefined ? null : pointer(source.last_at),
    onLeave: source.on_leave,
    finishMs: source.finish_ms,
    missingUsage: source.missing_usage,
    ...(extend !== null && { extend }),
  };
}
