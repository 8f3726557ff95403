import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Lane } from '../../src/ledger/lane.ts';
import { history, live } from './history.ts';
import type { Safeguard } from './model-books.ts';
import { mutate } from './mutant-lane.ts';
import { stories } from './stories.ts';
import type { LaneClass } from './world.ts';

const runsMax = 3_000;
/** The same histories in each run: a mutant that dies once dies always. */
const seed = 1;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-mutants-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What the tests of lane-simulation.test.ts find first in a mutant. */
async function firstBreach(lane: LaneClass, without: Safeguard | null = null): Promise<string | undefined> {
  let found: string | undefined;
  for (const story of without ? [] : Object.values(stories)) {
    [found] = await story(lane);
    if (found) return found;
  }
  const property = fc.asyncProperty(history, async (steps) => {
    [found] = await live(lane, steps, without);
    return found === undefined;
  });
  await fc.check(property, { numRuns: runsMax, seed, endOnFailure: true });
  return found;
}

describe('the simulation finds books', () => {
  const safeguards: [what: string, without: Safeguard][] = [
    ['that book a batch again when it is sent again', 'replay'],
    ['that let a lane write after its end', 'fence'],
    ['that grant more than there is', 'avail'],
    ['that fold a batch twice', 'fold once'],
    ['that give nothing back', 'give back'],
    ['that recall nothing', 'recall'],
    ['that keep an answer after its charge, in another commit', 'keep with charge'],
    ['that let a ticket of a living lane be taken over', 'living ticket'],
    ['that serve and charge again what is answered', 'answered ticket'],
    ['that give back what they give again', 'keep charge'],
    ['that give up the ticket of another call', 'own ticket'],
  ];
  test.each(safeguards)('%s', async (_, without) => {
    expect(await firstBreach(Lane, without)).toBeDefined();
  });
});

describe('the simulation finds a lane that', () => {
  const mutants: [what: string, from: string, to: string][] = [
    ['settles before the commit', 'if (charges.length > 0 || kept) return settled;', ''],
    [
      'gives away a free answer before it is kept',
      'charges.length > 0 || kept) return',
      'charges.length > 0) return',
    ],
    ['keeps no answer', 'answers: waiting.flatMap(({ kept }) => kept ?? []),', 'answers: [],'],
    [
      'is sure of what it does not know',
      "callId);\n        resolve({ kind: 'refused', inDoubt: true });",
      "callId);\n        resolve({ kind: 'refused', inDoubt: false });",
    ],
    [
      'numbers a repetition anew',
      'if (this.#sent && !this.#sending) void this.#send();',
      'if (this.#sent && !this.#sending) { this.#sent.batch.seq = ++this.#seq; void this.#send(); }',
    ],
    ['drops a batch in doubt', 'this.#doubtSinceMs ??= this.#clock();', 'this.#finish(sent);'],
    ['settles holds of an old epoch', "hold.epoch !== this.#epoch || this.#state === 'closed' || ", ''],
    ['keeps its epoch while it opens', '    this.#epoch = -1;\n', ''],
    ['mixes up the batches of two epochs', '    this.#seqBefore += this.#seq;\n', ''],
    ['does not give back what it refused', 'this.#deliveries.lose(seq, sent.abandoned);', '{}'],
    ['does not give back what broke off', 'this.#deliveries.lose(seq, [callId]);', ''],
    ['leaves before it has given back', ' || this.#deliveries.owes', ''],
    [
      'takes for delivered what has not left',
      'this.#deliveries.expect(seq, charged.length + sent.abandoned.length);',
      'this.#deliveries.expect(seq, sent.abandoned.length);',
    ],
    [
      'takes one answer for all of its batch',
      'if (remaining > 0) this.#open.set(seq, remaining);\n    else',
      '',
    ],
    ['uses on what it gave back', '        lot.free = 0;\n', ''],
    ['holds without setting aside', '      lot.free -= amount;\n      lot.held += amount;\n', ''],
    ['charges without taking', '    for (const { lot, amount } of charges) lot.free -= amount;\n', ''],
    [
      'keeps the whole hold',
      '    this.release(hold);\n    for (const { lot, amount } of charges)',
      '    for (const { lot, amount } of charges)',
    ],
    [
      'keeps the credit of calls that it refused',
      '      for (const { lot, amount } of [...charges, ...capped]) lot.free += amount;\n      resolve',
      '      resolve',
    ],
    [
      'forgets the budget of what it charges',
      'for (const { lot, amount } of capped) lot.free -= amount;',
      '',
    ],
    ['keeps the budget of what it releases', '    if (hold.cap) this.release(hold.cap);\n', ''],
    [
      'holds in a budget alone',
      "return { kind: 'held', hold: { ...held.hold, cap: cap.hold } };",
      'return held;',
    ],
    [
      'keeps the budget of what is refused',
      "    this.release(cap.hold);\n    if (held.kind !== 'held') return held;",
      "    if (held.kind !== 'held') return held;",
    ],
    ['books nothing of a budget', 'return [...charges, ...capped].map', 'return [...charges].map'],
    ['does not hear recalls', '    purse.recalled = true;\n', ''],
    [
      'refuses what the books have open',
      'const isShort = refusal.available < refusal.required;',
      'const isShort = true;',
    ],
    ['forgets a grant that came while it looked', '    this.#sent?.touched.add(account);\n', ''],
    ['goes on with what has ended', '    lot.expiresMs = 0;\n', ''],
    ['knows for good when a lot ends', '    lot.expiresMs = expires;\n', ''],
    ['waits for books that never answer', 'if (nowMs - sinceMs >= answerWaitMs)', 'if (nowMs < 0)'],
    [
      'refuses nobody when the books are away',
      'if (nowMs - this.#doubtSinceMs >= settleWaitMs) this.#abandon();',
      '',
    ],
    ['forgets questions when it is fenced', '...(sent?.asking ?? []), ', ''],
    ['forgets settlements when it is fenced', 'of sent?.waiting ?? []', 'of []'],
    ['opens again as it leaves', '    if (isLeaving) return;\n', ''],
    ['closes beside its heartbeat', "    this.#state = 'closed';\n    await", '    await'],
  ];
  test.each(mutants)('%s', async (_, from, to) => {
    const breach = await firstBreach(await mutate(folder, from, to));
    expect(breach).toBeDefined();
  });
});
