import { expect, test } from 'vitest';
import { calls } from '../../src/http/console/pages/account-calls.ts';
import { payment } from '../../src/http/console/pages/payment.ts';
import { factsOf, orderOf, planName, reversalOf, usd } from './console-fixtures.ts';

/** The cells of a page that hold an id, with the attributes that decide about them on a phone. */
const cellsOf = (page: unknown, id: string) =>
  [...String(page).matchAll(/<td([^>]*)>((?:(?!<\/td>).)*)<\/td>/g)].filter(([, , cell = '']) =>
    cell.includes(id),
  );

test('ids at the processor can be read and copied on a phone, too', () => {
  const fee = {
    ...{
      id: 'txn_1',
      payment: 'pi_1',
      kind: 'charge' as const,
      currency: 'usd',
      amount: usd(5),
      fee: usd(0.45),
      tax: usd(0),
    },
    ...{ net: usd(4.55), atMs: 0 },
  };
  const signal = { id: 'issfr_1', kind: 'review' as const, payment: 'pi_1', isOpen: true, reason: 'rule' };
  const charge = {
    ...{
      id: 'ch_1',
      payment: 'pi_1',
      succeeded: true,
      createdMs: 0,
      riskLevel: null,
      riskScore: null,
      networkStatus: null,
    },
    ...{ reason: null, outcome: null },
  };
  const page = payment(
    factsOf(orderOf(), {
      ...{ fees: [fee], signals: [signal], charges: [charge], reversals: [reversalOf({ id: 're_1' })] },
    }),
  );
  for (const id of ['txn_1', 'issfr_1', 'ch_1', 're_1']) {
    const [[, attributes = '', cell = ''] = []] = cellsOf(page, id);
    expect([id, cell]).toEqual([id, expect.stringContaining('class="id copies"')]);
    expect([id, attributes]).toEqual([id, expect.not.stringContaining('wide')]);
  }
});

test('a recent call has its whole id, to search for it or to compare it with a report of the buyer', () => {
  const call = {
    ...{
      callId: '0199d1c2-6a3b-7c4d-8e5f-60718293a4b5',
      atMs: 0,
      service: 'search',
      operation: 'GET /v1/search',
    },
    ...{
      status: 200,
      plans: ['start'],
      key: null,
      units: 1,
      included: 0,
      cost: usd(0.001),
      isReturned: false,
    },
    ...{ model: null, quantities: null },
  };
  const [[, attributes = '', cell = ''] = []] = cellsOf(calls([call], planName), call.callId);
  expect(cell).toContain('class="id copies"');
  expect(attributes).not.toContain('wide');
});
