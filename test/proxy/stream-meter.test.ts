import * as JsonPointer from '@sluice/kernel/json-pointer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type StreamRule,
  type StreamSource,
  toStreamRule,
  usualLast,
} from '../../src/catalog/stream-rule.ts';
import { StreamMeter } from '../../src/proxy/stream-meter.ts';
import * as StreamRequest from '../../src/proxy/stream-request.ts';
import { chunk, done, message, usage } from '../streams/streaming-upstream.ts';

const pointer = (text: string) => JsonPointer.parse(text) ?? [];
function rule(source: Partial<StreamSource>): StreamRule {
  return toStreamRule(
    {
      format: 'sse',
      usage: { at: '/usage', merge: 'last' },
      set: {},
      hide_usage_unless_asked: false,
      last: usualLast,
      on_leave: 'finish',
      finish_ms: 1_000,
      missing_usage: 'free',
      ...source,
    },
    pointer,
  );
}

test('usage beyond any number stays beyond any maximum, instead of counting as nothing', () => {
  for (const merge of ['last', 'max'] as const) {
    const meter = new StreamMeter(rule({ usage: { at: '/usage', merge } }), false);
    meter.push(Buffer.from('data: {"usage":{"total_tokens":1e999}}\n\n'));
    expect(JSON.parse(meter.end().usage ?? '')).toEqual({ usage: { total_tokens: Number.MAX_VALUE } });
  }
});

/** A stream in each documented form, its rule, its usage, and its last events. */
const forms = {
  'chat completions': {
    rule: rule({}),
    text: chunk('Grüße') + chunk('[DONE]') + usage(12) + done,
    whole: { usage: { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 } },
    last: done,
  },
  'chat completions with CRLF': {
    rule: rule({}),
    text: (chunk('a') + usage(7) + done).replaceAll('\n', '\r\n'),
    whole: { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
    last: done.replaceAll('\n', '\r\n'),
  },
  'chat completions with CR': {
    rule: rule({}),
    text: (chunk('a') + usage(7) + done).replaceAll('\n', '\r'),
    whole: { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
    last: done.replaceAll('\n', '\r'),
  },
  messages: {
    rule: rule({
      usage: { at: { message_start: '/message/usage', message_delta: '/usage' }, merge: 'max' },
    }),
    text: message(40),
    whole: { usage: { input_tokens: 9, output_tokens: 40 } },
    last: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
  responses: {
    rule: rule({ usage: { at: { 'response.completed': '/response/usage' }, as: '/usage', merge: 'last' } }),
    text: [
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hi"}\n\n',
      'event: response.completed\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":4,"output_tokens":2}}}\n\n',
    ].join(''),
    whole: { usage: { input_tokens: 4, output_tokens: 2 } },
    last: 'event: response.completed\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":4,"output_tokens":2}}}\n\n',
  },
  'generated content': {
    rule: rule({ usage: { at: '/usageMetadata', merge: 'last' } }),
    text: [
      'data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]}}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":1}}\r\n\r\n',
      'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":5}}\r\n\r\n',
    ].join(''),
    whole: { usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 5 } },
    last: '',
  },
  'generated content with a declared end': {
    rule: rule({ usage: { at: '/usageMetadata', merge: 'last' }, last_at: '/candidates/0/finishReason' }),
    text: [
      'data: {"candidates":[{"finishReason":null}],"usageMetadata":{"promptTokenCount":2}}\r\n\r\n',
      'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":5}}\r\n\r\n',
    ].join(''),
    whole: { usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 5 } },
    last: 'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":5}}\r\n\r\n',
  },
  'JSON lines': {
    rule: rule({ format: 'ndjson', usage: { at: '/stats', merge: 'last' } }),
    text: '{"text":"a"}\n{"done":true,"stats":{"tokens":3}}',
    whole: { stats: { tokens: 3 } },
    last: '',
  },
};

function run(meter: StreamMeter, pieces: readonly Buffer[]) {
  const passed: Buffer[] = [];
  for (const piece of pieces) {
    // The network's buffer is used again for the next piece.
    const shared = Buffer.from(piece);
    for (const bytes of meter.push(shared)) passed.push(Buffer.from(bytes));
    shared.fill(0);
  }
  const { withheld, usage: counted } = meter.end();
  return {
    passed: Buffer.concat(passed).toString(),
    withheld: Buffer.concat(withheld).toString(),
    usage: counted === null ? null : JSON.parse(counted),
  };
}

describe.each(Object.entries(forms))('%s', (_, form) => {
  const bytes = Buffer.from(form.text);
  const isLineForm = form.rule.format === 'ndjson';

  test('cut at any byte, the stream is passed on unchanged and its usage is the same', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const end = run(new StreamMeter(form.rule, false), [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(end.passed + end.withheld).toBe(form.text);
      expect(end.usage).toEqual(form.whole);
    }
  });

  test('cut into any pieces, its last event and nothing else is withheld', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
        const end = run(new StreamMeter(form.rule, false), pieces);
        expect(end.passed + end.withheld).toBe(form.text);
        if (!isLineForm) expect(end.withheld).toBe(form.last);
        expect(end.usage).toEqual(form.whole);
      }),
    );
  });
});

test('every complete event is passed on at once', () => {
  const meter = new StreamMeter(rule({}), false);
  for (const word of ['one', 'two', 'three'])
    expect(Buffer.concat(meter.push(Buffer.from(chunk(word)))).toString()).toBe(chunk(word));
});

test('a usage event is left out for a caller who did not ask for it, and only that', () => {
  const text = chunk('a') + usage(9) + done;
  const { passed, withheld, usage: counted } = run(new StreamMeter(rule({}), true), [Buffer.from(text)]);
  expect(passed + withheld).toBe(chunk('a') + done);
  expect(counted.usage.total_tokens).toBe(9);
  const both = 'data: {"choices":[{"delta":{}}],"usage":{"total_tokens":9}}\n\n';
  expect(run(new StreamMeter(rule({}), true), [Buffer.from(both)]).passed).toBe(both);
});

test('an event longer than any buffer is passed on and does not stay in memory', () => {
  const meter = new StreamMeter(rule({}), false);
  let passed = 0;
  const piece = Buffer.alloc(64 * 1024, 'x');
  for (const bytes of meter.push(Buffer.from('data: '))) passed += bytes.length;
  for (let sent = 0; sent < 64 * 1024 * 1024; sent += piece.length) {
    for (const bytes of meter.push(piece)) passed += bytes.length;
    expect(meter.isOverfull).toBe(false);
  }
  expect(passed).toBeGreaterThan(63 * 1024 * 1024);
});

test('a stream whose end is too long to be withheld is overfull', () => {
  const meter = new StreamMeter(rule({}), false);
  meter.push(Buffer.from(done));
  const piece = Buffer.from(`data: ${'x'.repeat(60_000)}\n\n`);
  let pushed = 0;
  for (; !meter.isOverfull && pushed < 1_000; pushed += 1) expect(meter.push(piece)).toEqual([]);
  expect(pushed).toBeLessThan(1_000);
});

test('usage with hostile names changes no object', () => {
  const text = 'data: {"usage":{"__proto__":{"total_tokens":1},"constructor":{"x":1},"total_tokens":2}}\n\n';
  const { usage: counted } = run(new StreamMeter(rule({}), false), [Buffer.from(text)]);
  expect(counted.usage.total_tokens).toBe(2);
  expect(({} as Record<string, unknown>).total_tokens).toBeUndefined();
});

describe('the request of a stream', () => {
  const asking = rule({ when: '/stream', set: { '/stream_options/include_usage': true } });
  const json = ['content-type', 'application/json'];
  const prepare = (text: string) => StreamRequest.prepare(asking, json, Buffer.from(text));

  test.each([
    ['without the field', '{"stream":true,"n":1.50}', true],
    ['with the field switched off', '{"stream":true,"stream_options":{"include_usage":false}}', true],
    ['with another option', '{"stream_options":{"x":1},"stream":true}', true],
    ['with no object in its place', '{"stream":true,"stream_options":null}', true],
    ['that does not ask', '{"stream":false}', false],
    ['that does not say', '{"n":1}', false],
  ])('%s', (_, text, asks) => {
    const prepared = prepare(text);
    const parsed = JSON.parse(prepared.body.toString());
    expect(prepared.asks).toBe(asks);
    expect(parsed.stream_options?.include_usage === true).toBe(asks);
    const { stream_options: before, ...others } = JSON.parse(text);
    const { stream_options: after, ...unchanged } = parsed;
    expect(unchanged).toEqual(others);
    if (asks) expect(after).toEqual({ ...before, include_usage: true });
    else expect(prepared.body.toString()).toBe(text);
  });

  test('keeps every other byte', () => {
    const { body } = prepare('{"a":1.50, "big":12345678901234567890,"stream":true}');
    expect(body.toString()).toBe(
      '{"a":1.50, "big":12345678901234567890,"stream":true,"stream_options":{"include_usage":true}}',
    );
  });

  test('names the field once, whatever was repeated or escaped', () => {
    const { body } = prepare(
      '{"stream_options":{"include_usage":false},"stream":true,"stream\\u005foptions":{"include_usage":false},"stream_options":null}',
    );
    expect(body.toString().match(/options/g)).toHaveLength(1);
    expect(JSON.parse(body.toString()).stream_options).toEqual({ include_usage: true });
  });

  test('is known to be asked for usage only when its caller did so', () => {
    expect(prepare('{"stream":true}').asksUsage).toBe(false);
    expect(prepare('{"stream":true,"stream_options":{"include_usage":true}}').asksUsage).toBe(true);
  });
});
