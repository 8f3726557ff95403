import { uuidv7 } from '@sluice/kernel/id';
import { ofMicro } from '@sluice/kernel/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import type { PaidCall } from '../../src/journeys/call-request.ts';
import type { PaidCallContext } from '../../src/journeys/paid-call-context.ts';
import * as StreamSale from '../../src/journeys/stream-sale.ts';
import * as StreamedCall from '../../src/journeys/streamed-call.ts';
import { type OpenLedgerStore, openLedgerStore } from '../ledger/open-ledger-store.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';
import * as Upstream from './streaming-upstream.ts';

const price = ofMicro(100);
const account = 'ann';

let real: OpenLedgerStore;
let process: OpenWriter;
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  real = await openLedgerStore();
  process = await openWriter(real.url, 'sale', Date.now);
  ticking = setInterval(() => process.writer.tick(), 20);
  await real.grant({ asset: 'usd', kind: 'grant', plan: 'p', amount: 10_000, expiresMs: null, account });
});
afterAll(async () => {
  clearInterval(ticking);
  await process?.end();
  await real?.end();
});

const operation = {
  id: 'chat',
  service: { slug: 'tokens', price },
  units: { kind: 'pointer', pointer: ['usage', 'total_tokens'] },
  unitsMax: { kind: 'fixed', units: 50 },
  stream: {
    format: 'sse',
    when: null,
    usage: { at: { kind: 'every', pointer: ['usage'] }, as: ['usage'], merge: 'last' },
    set: [],
    hidesUsage: false,
    last: new Set(['[DONE]']),
    lastAt: null,
    onLeave: 'finish',
    finishMs: 1_000,
    missingUsage: 'free',
  },
} as unknown as Operation;

test('a stream whose settlement fails releases its hold once', async () => {
  const callId = uuidv7(Date.now());
  const held = await process.writer.hold({ callId, account, plans: ['p'], price, units: 50 });
  if (held.kind !== 'held') throw new Error(held.kind);
  // Its receipt cannot be signed.
  const shop = {
    writer: process.writer,
    catalog: { upstream: { timeoutMs: 1_000 }, upstreams: new Map() },
    report: () => {},
  } as unknown as PaidCallContext;
  const call = { operation, account, ceiling: null, span: null, wantsReceipt: true, takesStreams: true };
  const sold = await StreamSale.sell(
    shop,
    call as unknown as PaidCall,
    { units: 50, isClear: true },
    {
      hold: held.hold,
      startedMs: 0,
      response: {
        kind: 'stream',
        status: 200,
        headers: ['content-type', 'text/event-stream'],
        async pipeTo(destination) {
          destination.write(Buffer.from(Upstream.usage(5) + Upstream.done), () => {});
          destination.end();
          return 'ended';
        },
      },
      prepared: { body: Buffer.alloc(0), asks: true, asksUsage: true },
      started: { kind: 'started', keepsBody: false } as never,
      watched: { left: 'no' } as never,
    },
  );
  if (sold.kind !== 'streaming') throw new Error(sold.kind);
  const caller = {
    write: () => true,
    destroy: () => {},
    destroyed: false,
    writableLength: 0,
    once: () => {},
  };
  // As the HTTP module does.
  await expect(
    StreamedCall.relay(sold, caller).catch(async (fault: unknown) => {
      await sold.release();
      throw fault;
    }),
  ).rejects.toThrow();
  expect(process.writer.held(account)).toEqual({ usd: 0, unit: 0 });
});
