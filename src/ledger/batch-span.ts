import type { Span, Tracer } from '../kernel/tracing.ts';
import type { Batch, BatchAnswer } from './books.ts';

/** Follows a batch to its answer, in the traces of the `calls` that wait for it; nothing where none of them is traced. */
export function follow(
  tracer: Tracer,
  calls: readonly { readonly span?: Span | null }[],
  { usage, wants, seq }: Batch,
  answer: Promise<BatchAnswer>,
): void {
  const parts = calls.flatMap(({ span }) => span ?? []);
  const span = tracer.batch('ledger batch', parts);
  if (span === null) return;
  const facts = { 'db.system.name': 'postgresql', 'sluice.batch': seq, 'sluice.batch.rows': usage.length };
  void answer.then(
    ({ state }) => span.end({ ...facts, 'sluice.batch.wants': wants.length, 'sluice.batch.state': state }),
    () => span.end(facts, 'books_unreachable'),
  );
}
