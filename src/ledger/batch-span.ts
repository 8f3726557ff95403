import type { Span, Tracer } from '@sluice/kernel/tracing';
import type { SentBatch } from './batch-queue.ts';
import type { BatchResult } from './ledger-store.ts';

/** Records a span from a batch to its result, in the traces of the calls that wait for it, if any of them is traced. */
export function follow(
  tracer: Tracer,
  { batch, waiting, asking }: SentBatch,
  answer: Promise<BatchResult>,
): void {
  const { usage, wants, seq } = batch;
  const calls: { readonly span?: Span | null }[] = [
    ...waiting.map(({ hold }) => hold),
    ...asking.map(({ request }) => request),
  ];
  const parts = calls.flatMap(({ span }) => span ?? []);
  const span = tracer.batch('ledger batch', parts);
  if (span === null) return;
  const facts = { 'db.system.name': 'postgresql', 'sluice.batch': seq, 'sluice.batch.rows': usage.length };
  void answer.then(
    ({ state }) => span.end({ ...facts, 'sluice.batch.wants': wants.length, 'sluice.batch.state': state }),
    () => span.end(facts, 'ledger_unreachable'),
  );
}
