import { expect, test } from 'vitest';
import { confirmRemoval, confirmSecret, endpointRow } from '../../src/http/console/pages/event-endpoints.ts';
import { stateOf } from '../../src/http/console/pages/event-states.ts';
import { type EventsFacts, events } from '../../src/http/console/pages/events.ts';
import { type Endpoint, isFailing } from '../../src/payment/event.ts';

const endpoint: Endpoint = {
  ...{ id: 'ep_1', url: 'https://example.com/events', types: null, state: 'on', reason: null },
  ...{ failingSinceMs: null, lastFault: null, createdMs: 0, waiting: 1, failed: 2 },
};
const facts: EventsFacts = {
  ...{ filter: {}, events: [], next: null, endpoints: [endpoint], canChange: true, canReplay: true },
  ...{ result: null, secret: null, draft: null, nowMs: 0, replay: null },
};
const textOf = (page: unknown) =>
  String(page)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

test('the states of a delivery have the same words in the filter, the rows, the columns and the question', () => {
  const shown = (state: 'waiting' | 'delivered' | 'failed', isFailing: boolean) =>
    textOf(stateOf({ state, wait: null, isFailing }, 0)).trim();
  const words = [shown('waiting', false), shown('waiting', true), shown('failed', false)];
  expect(words).toEqual(['waiting', 'failing', 'given up']);
  const page = String(events(facts));
  const [, options = ''] = /<select id="state"[^>]*>(.*?)<\/select>/s.exec(page) ?? [];
  expect(textOf(options).trim()).toBe('All Waiting Failing Given up Delivered');
  expect(textOf(page)).toContain('Waiting Given up');
  expect(textOf(confirmRemoval(endpoint))).toMatch(/Waiting 1 Given up 2/);
  const failing = { ...endpoint, failingSinceMs: Date.UTC(2026, 10, 27, 22, 40) };
  expect(textOf(endpointRow(failing, facts))).toContain('failing since');
});

test('an event waits while its endpoint is off, also after failed attempts', () => {
  const attempts = [{ at: '2026-11-27T22:40:00Z', ms: 3, status: 503, fault: 'status 503' }];
  const shown = (isOn: boolean) => {
    const one = {
      state: 'waiting' as const,
      attempts,
      wait: { isOn, after: null, isUnderWay: false, dueMs: 0 },
    };
    return textOf(stateOf({ ...one, isFailing: isFailing(one) }, 0)).trim();
  };
  expect(shown(false)).toBe('waiting until the endpoint is enabled');
  expect(shown(true)).toMatch(/^failing /);
});

test('the replacement of a secret has one name, and the secret in use is the present one', () => {
  const asked = textOf(confirmSecret(endpoint));
  expect(asked.match(/Replace the secret now/g)).toHaveLength(2);
  expect(textOf(endpointRow(endpoint, facts))).toContain('Replace the secret now');
  expect(asked).toContain('If no one else knows the present secret, choose New secret instead');
  expect(asked).not.toMatch(/former|End the secret/);
});

test('the filter of failing events stays chosen, also on the next page', () => {
  const page = String(events({ ...facts, filter: { state: 'waiting', isFailing: true } }));
  expect(page).toMatch(/<option value="failing" selected/);
});

test.each([
  ['ENOTFOUND', 'host not found'],
  ['status 503', 'HTTP 503'],
  ['took too long', 'took too long'],
])('an endpoint that fails by %s says so', (lastFault, words) => {
  const failing = { ...endpoint, failingSinceMs: Date.UTC(2026, 10, 27, 22, 40), lastFault };
  expect(textOf(endpointRow(failing, facts))).toContain(`failing since 27 Nov 2026, 22:40 : ${words}`);
});
