/** A goal in a caller's words, with the operations that answer it. `calls` are positions of offers; empty when no sold operation does. */
export type Sample = {
  ask: string;
  calls: readonly number[];
  kind: 'asked' | 'described' | 'outside' | 'vague';
};
