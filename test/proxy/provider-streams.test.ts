import { readFileSync } from 'node:fs';
import * as JsonPointer from '@sluice/kernel/json-pointer';
import { describe, expect, test } from 'vitest';
import {
  type StreamRule,
  type StreamSource,
  toStreamRule,
  usualLast,
} from '../../src/catalog/stream-rule.ts';
import { StreamMeter } from '../../src/proxy/stream-meter.ts';

/** One documented stream. `usage` is the combined usage; `last` is the bytes that are withheld until the charge is recorded. */
type Form = { rule: StreamSource['usage']; usage: unknown; last: string };

const folder = new URL('../fixtures/streams/', import.meta.url);
const forms: Record<string, Form> = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8'));

function ruleOf(usage: StreamSource['usage']): StreamRule {
  const source: StreamSource = {
    format: 'sse',
    usage,
    set: {},
    hide_usage_unless_asked: false,
    last: usualLast,
    on_leave: 'finish',
    finish_ms: 1_000,
    missing_usage: 'free',
  };
  return toStreamRule(source, (text) => JsonPointer.parse(text) ?? []);
}

describe.each(Object.entries(forms))('%s', (name, form) => {
  const bytes = readFileSync(new URL(name, folder));

  test('cut at any byte, it is passed on unchanged, its usage is the same and its end is withheld', () => {
    const rule = ruleOf(form.rule);
    for (let at = 0; at <= bytes.length; at += 1) {
      const meter = new StreamMeter(rule, false);
      const passed = [bytes.subarray(0, at), bytes.subarray(at)].flatMap((piece) => meter.push(piece));
      const { withheld, usage } = meter.end();
      expect(Buffer.concat([...passed, ...withheld]).equals(bytes)).toBe(true);
      expect(Buffer.concat([...withheld]).toString()).toBe(form.last);
      expect(usage === null ? null : JSON.parse(usage)).toEqual(form.usage);
    }
  });
});
