import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import { firstBreaches } from '../support/random-histories.ts';
import { history, live } from './history.ts';
import type { Safeguard } from './model-ledger-store.ts';
import { mutate } from './mutant-writer.ts';
import { stories } from './stories.ts';
import type { WriterClass } from './world.ts';

const runsMax = 3_000;
/** Fixed, so that every run tries the same histories: a mutant that is found once is always found. */
const seed = 1;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-mutants-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the first breach that the tests of writer-simulation.test.ts find in a mutant. */
async function firstBreach(
  writer: WriterClass,
  without: Safeguard | null = null,
): Promise<string | undefined> {
  for (const story of without ? [] : Object.values(stories)) {
    const [found] = await story(writer);
    if (found) return found;
  }
  const [found] = await firstBreaches(history, async (steps) => live(writer, steps, without), {
    numRuns: runsMax,
    seed,
  });
  return found;
}

describe('the simulation finds books', () => {
  const safeguards: [what: string, without: Safeguard][] = [
    ['that book a batch again when it is sent again', 'replay'],
    ['that let a writer write after its end', 'fence'],
    ['that grant more than there is', 'avail'],
    ['that checkpoint a batch twice', 'checkpoint once'],
    ['that give nothing back', 'give back'],
    ['that recall nothing', 'recall'],
    ['that keep an answer after its charge, in another commit', 'keep with charge'],
    ['that let an idempotency key of a living writer be taken over', 'living idempotencyKey'],
    ['that serve and charge again what is answered', 'answered idempotencyKey'],
    ['that give back what they give again', 'keep charge'],
    ['that give up the idempotency key of another call', 'own idempotencyKey'],
  ];
  test.each(safeguards)('%s', async (_, without) => {
    expect(await firstBreach(LedgerWriter, without)).toBeDefined();
  });
});

describe('the simulation finds a writer that', () => {
  const mutants: [what: string, from: string, to: string][] = [
    ['settles before the commit', 'if (charges.length > 0 || kept) return settled;', ''],
    [
      'gives away a free answer before it is kept',
      'charges.length > 0 || kept) return',
      'charges.length > 0) return',
    ],
    [
      'keeps no answer',
      'storedResponses: waiting.flatMap(({ kept }) => kept ?? []),',
      'storedResponses: [],',
    ],
    [
      'is sure of what it does not know',
      'refuse(waiting.splice(0), asking.splice(0), true)',
      'refuse(waiting.splice(0), asking.splice(0), false)',
    ],
    [
      'numbers a repetition anew',
      '    if (this.#sent && !this.#sending) void this.#send();\n',
      '    if (this.#sent && !this.#sending) { this.#sent.batch.seq += 1; void this.#send(); }\n',
    ],
    ['drops a batch in doubt', 'this.#doubtSinceMs ??= clock();', 'this.#finish(sent, new Map());'],
    ['settles holds of an old epoch', "hold.epoch !== this.#epoch || this.#state === 'closed' || ", ''],
    ['keeps its epoch while it opens', '    this.#epoch = -1;\n', ''],
    ['mixes up the batches of two epochs', '    this.#seqBefore += this.#seq;\n', ''],
    ['does not give back what it refused', 'deliveries.lose(seq, sent.abandoned);', '{}'],
    ['does not give back what broke off', 'this.#deliveries.lose(seq, [callId]);', ''],
    ['leaves before it has given back', ' || this.#deliveries.owes', ''],
    [
      'takes for delivered what has not left',
      'deliveries.expect(seq, charged.length + sent.abandoned.length);',
      'deliveries.expect(seq, sent.abandoned.length);',
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
      '      for (const { lot, amount } of [...charges, ...capped]) lot.free += amount;\n',
      '      {}\n',
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
    [
      'gives away what is above the hold',
      'charges = hold.price === 0 ? [] : DrawDown.charge(hold.draws, hold.price, outcome.units);\n    const capped',
      'charges = hold.price === 0 ? [] : DrawDown.charge(hold.draws, hold.price, Math.min(outcome.units, 10));\n    const capped',
    ],
    [
      'extends a hold without holding more',
      "return { kind: 'held', hold: joined(hold, more.hold) };",
      "{ this.release(more.hold); return { kind: 'held', hold: joined(hold, more.hold) }; }",
    ],
    [
      'takes the extension for all of the hold',
      "return { kind: 'held', hold: joined(hold, more.hold) };",
      "return { kind: 'held', hold: { ...more.hold, units } };",
    ],
    ['extends a hold of an old epoch', 'if (more.hold.epoch === hold.epoch) return', 'return'],
    [
      'keeps the extension of a hold of an old epoch',
      "    this.release(more.hold);\n    return { kind: 'unavailable' };",
      "    return { kind: 'unavailable' };",
    ],
    ['extends beyond a budget', '...(hold.cap && more.cap && { cap: joined(hold.cap, more.cap) }),', ''],
    [
      'charges an extended hold in the order in which it grew',
      "      ...draws.filter(({ lot }) => lot.asset === 'unit'),\n      ...draws.filter(({ lot }) => lot.asset === 'usd'),",
      '...draws,',
    ],
    [
      'takes what a call holds itself for held by others',
      'Lot.total(lot) - (ownAmounts.get(lot) ?? 0)',
      'Lot.total(lot)',
    ],
    ['does not hear recalls', '    accountLeases.recalled = true;\n', ''],
    [
      'refuses what the books have open',
      'const isShort = refusal.available < refusal.required;',
      'const isShort = true;',
    ],
    ['forgets a grant that came while it looked', '    this.#sender.sent?.touched.add(account);\n', ''],
    ['goes on with what has ended', '    lot.expiresMs = 0;\n', ''],
    ['knows for good when a lot ends', '    lot.expiresMs = expires;\n', ''],
    ['waits for books that never answer', 'if (nowMs - sinceMs >= answerWaitMs)', 'if (nowMs < 0)'],
    [
      'refuses nobody when the books are away',
      'if (nowMs - doubtSinceMs >= settleWaitMs) this.#abandon();',
      '',
    ],
    [
      'forgets questions when it is fenced',
      'refuse(sent?.waiting ?? [], sent?.asking ?? [], true)',
      'refuse(sent?.waiting ?? [], [], true)',
    ],
    [
      'forgets settlements when it is fenced',
      'refuse(sent?.waiting ?? [], sent?.asking ?? [], true)',
      'refuse([], sent?.asking ?? [], true)',
    ],
    ['opens again as it leaves', '    if (isLeaving) return;\n', ''],
    ['closes beside its heartbeat', "    this.#state = 'closed';\n    await", '    await'],
  ];
  test.each(mutants)('%s', async (_, from, to) => {
    const breach = await firstBreach(await mutate(folder, from, to));
    expect(breach).toBeDefined();
  });
});
