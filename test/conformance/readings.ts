import { expect } from 'vitest';
import * as Gateway from './gateway.ts';
import * as Vectors from './vectors.ts';

const writersMax = 8;

/** Sends every vector and compares the response with the requests that were read. @returns the requests read, by vector */
export async function of(
  combination: Gateway.Combination,
  vectors: readonly Vectors.Vector[],
): Promise<Map<string, string>> {
  const workers = await Promise.all(
    Array.from({ length: writersMax }, () => Gateway.openGateway(combination)),
  );
  const readings = new Map<string, string>();
  try {
    await Vectors.onWorkers(workers, vectors, async (gateway, { src, raw }) => {
      readings.set(src, JSON.stringify(await read(gateway, src, raw)));
    });
  } finally {
    await Promise.all(workers.map((gateway) => gateway.close()));
  }
  return readings;
}

async function read(gateway: Gateway.Gateway, src: string, raw: string): Promise<Gateway.Understood[]> {
  const { said, understood, arrived } = await gateway.send(raw);
  const found = Gateway.responsesIn(
    said,
    understood.map(({ method }) => method),
  );
  expect(found, `${src}: responses that can be told apart in ${JSON.stringify(said)}`).not.toBeNull();
  const responses = found ?? [];
  // There is one more response than requests when the rest is rejected as malformed.
  expect(responses.length, src).toBeLessThanOrEqual(understood.length + 1);
  for (const [at, { status, body }] of responses.entries()) {
    expect(status, src).toBeLessThan(500);
    const asked = understood[at];
    if (asked === undefined) expect(status, src).toBeGreaterThanOrEqual(400);
    else if (status === 200 && asked.method !== 'HEAD')
      expect(body, src).toBe(`${asked.method} ${asked.url} ${asked.body}`);
  }
  // The upstream must read every forwarded request as it was read here, and no other.
  const sent = understood.filter((_, at) => responses[at] === undefined || responses[at]?.status === 200);
  expect(sent, src).toEqual(expect.arrayContaining(arrived));
  return understood;
}
