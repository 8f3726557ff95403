import { describe, expect, it } from 'vitest';
import { causeOf, type Disturbance, type TracedCall } from '../../bench/latency/causes.ts';

const span = (startMs: number, endMs: number) => ({ startMs, endMs });
const call = (changes: Partial<TracedCall>): TracedCall => ({
  whole: span(0, 20),
  served: span(1, 19),
  upstream: span(2, 4),
  batches: [span(4, 6)],
  ...changes,
});
const disturbance = (changes: Partial<Disturbance>): Disturbance => ({
  ...span(0, 20),
  part: 'commit',
  cause: 'the disk flushed the log',
  ...changes,
});

describe('the cause of a slow call', () => {
  it('is sought in the part that took longest', () => {
    expect(causeOf(call({ batches: [span(4, 18)] }), [])).toBe('commit: not explained');
    expect(causeOf(call({ upstream: span(2, 16), batches: [span(16, 18)] }), [])).toBe(
      'upstream: not explained',
    );
    expect(causeOf(call({}), [])).toBe('gateway: not explained');
    expect(causeOf(call({ whole: span(0, 60) }), [])).toBe('caller: not explained');
  });

  it('counts the wait for the batch before as a part of the commit, and no moment twice', () => {
    const two = [span(3, 11), span(10, 14)];
    expect(causeOf(call({ batches: two }), [])).toBe('commit: not explained');
    // 7 ms in commits, since the upstream has two of them; 9 ms in the gateway.
    expect(causeOf(call({ batches: [span(0, 9), span(1, 10), span(2, 10)] }), [])).toBe(
      'gateway: not explained',
    );
  });

  it('is a disturbance that covers most of this part', () => {
    const slow = call({ batches: [span(4, 18)] });
    const few = disturbance({ ...span(4, 7), cause: 'a lock' });
    const most = disturbance(span(6, 18));
    expect(causeOf(slow, [few, most])).toBe('commit: the disk flushed the log');
    expect(causeOf(slow, [few])).toBe('commit: not explained');
    expect(causeOf(slow, [disturbance({ part: 'upstream', cause: 'upstream waited for a core' })])).toBe(
      'commit: not explained',
    );
    expect(causeOf(slow, [disturbance({ part: 'gateway', cause: 'garbage collection' })])).toBe(
      'commit: garbage collection',
    );
    expect(causeOf(slow, [disturbance({ part: 'machine', cause: 'the host took the core' })])).toBe(
      'commit: the host took the core',
    );
  });
});
