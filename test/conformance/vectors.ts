import { readFileSync } from 'node:fs';

/** Bytes from the test suite of another HTTP implementation, as Latin-1 text, and their source (`sources.json`). */
export type Vector = { src: string; raw: string };

type Family = { src: string; before: string; after: string; between: Record<string, string> };

function load<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../fixtures/vectors/${name}.json`, import.meta.url), 'utf8')) as T;
}

export const requests = load<{ vectors: Vector[] }>('requests').vectors;
export const responses = load<{ vectors: Vector[] }>('responses').vectors;
export const chunkBodies = load<{ vectors: Vector[] }>('chunk-bodies').vectors;
/** The public projects and their commits. */
export const sources = load<Record<string, string>>('sources');
/** Excludes two texts that are too long for a file: packages/kernel/test/json-scan.test.ts has equally deep ones. */
export const jsonTexts = load<{ name: string; base64: string }[]>('json-test-suite').filter(
  ({ base64 }) => base64 !== undefined,
);

/** Requests that differ in one line: ways to hide a `Transfer-Encoding` from one of two readers. */
export const families: Vector[] = load<{ families: Family[] }>('requests').families.flatMap(
  ({ src, before, after, between }) =>
    Object.entries(between).map(([name, line]) => ({ src: `${src}/${name}`, raw: before + line + after })),
);

/** Runs `work` on each vector, on several workers at once, each in order. */
export async function onWorkers<Worker>(
  workers: readonly Worker[],
  vectors: readonly Vector[],
  work: (worker: Worker, vector: Vector) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async (worker: Worker) => {
    for (let vector = vectors[next++]; vector !== undefined; vector = vectors[next++])
      await work(worker, vector);
  };
  await Promise.all(workers.map(run));
}
