import { expect, test } from 'vitest';
import type { PaidCall } from '../../src/journeys/call-request.ts';
import type { StreamingCall } from '../../src/journeys/streamed-call.ts';
import * as WithheldLimit from '../../src/journeys/withheld-limit.ts';
import { WithheldCalls } from '../../src/proxy/withheld-calls.ts';

test('a stream that was paid ends the wait for the next call, as any paid response does', async () => {
  const withheld = new WithheldCalls(() => 1_000_000, 1);
  withheld.add('acc_1', 'POST /v1/chat');
  expect(withheld.take('acc_1', 'POST /v1/chat')).toBe(60);
  const call = { account: 'acc_1', operation: { id: 'POST /v1/chat' } } as PaidCall;
  const stream = { kind: 'streaming', settle: async () => ({ kind: 'served', units: 3 }) };
  const counted = WithheldLimit.counted({ withheld }, call, stream as unknown as StreamingCall);
  expect(withheld.take('acc_1', 'POST /v1/chat')).toBe(60);
  if (counted.kind === 'streaming') await counted.settle('whole' as never, undefined as never);
  expect(withheld.take('acc_1', 'POST /v1/chat')).toBe(0);
});
