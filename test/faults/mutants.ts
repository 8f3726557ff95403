import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as SqlFlaw from '../support/sql-flaw.ts';
import type { Aim } from './faults.ts';
import { jobMutants } from './job-mutants.ts';
import type { Mutant } from './mutant.ts';
import { type Options, run } from './run.ts';
import { streamMutants } from './stream-mutants.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const kill = (...at: Aim['at'][]): Aim[] => at.map((one) => ({ act: 'kill', at: one }));
const cut = (...at: Aim['at'][]): Aim[] => at.map((one) => ({ act: 'cut', at: one }));
const writer = { file: 'ledger/ledger-writer.ts' };
const sender = { file: 'ledger/batch-sender.ts' };

/** Mutants that real processes reveal soon. The simulation finds these and forty rarer ones (test/ledger/mutants.long.ts). */
export const mutants: readonly Mutant[] = [
  {
    what: 'answer before the commit',
    in: writer,
    from: 'if (charges.length > 0 || kept) return settled;',
    to: '',
    aims: kill('settlement sent', 'answer sent'),
  },
  {
    what: 'take a batch in doubt for booked',
    in: sender,
    from: 'this.#doubtSinceMs ??= clock();',
    to: 'this.#finish(sent, new Map());',
    aims: cut('settlement sent'),
  },
  {
    what: 'number a repeated batch anew',
    in: sender,
    from: 'if (this.#sent && !this.#sending) void this.#send();',
    to: 'if (this.#sent && !this.#sending) { this.#sent.batch.seq += 1; void this.#send(); }',
    aims: cut('settlement sent', 'settlement done'),
  },
  {
    what: 'hold without setting aside',
    in: { file: 'ledger/holds.ts' },
    from: '      lot.free -= amount;\n      lot.held += amount;\n',
    to: '',
    aims: cut('heartbeat done'),
  },
  {
    what: 'let a writer write after its end',
    in: { function: 'ledger.batch' },
    from: 'v_writer.epoch <> p_epoch OR NOT v_writer.open',
    to: 'false',
    aims: [{ act: 'pause past the lease', at: 'settlement sent' }],
  },
  {
    what: 'checkpoint a batch twice',
    in: { function: 'ledger.batch' },
    from: 'checkpointed_seq = p_seq, ',
    to: '',
    aims: cut('heartbeat done'),
  },
  {
    what: 'give nothing back when a process dies',
    in: { function: 'ledger.reap' },
    from: 'IF v_calls IS NOT NULL THEN',
    to: 'IF false THEN',
    aims: kill('settlement done'),
  },
  {
    what: 'forget the leases of a process that dies',
    in: { function: 'ledger.reap' },
    from: 'avail = k.avail + l.amount',
    to: 'avail = k.avail',
    aims: kill('request arrived'),
  },
  {
    what: 'grant more than there is',
    in: { function: 'ledger.batch' },
    from: 'v_need := least(v_lot.avail, CASE',
    to: 'v_need := greatest(0, CASE',
    aims: cut('heartbeat done'),
  },
  {
    what: 'let a key be used twice at once',
    in: { function: 'ledger.acquire_idempotency_key' },
    from: 'v_kept.call_id IS NULL AND NOT v_lives OR',
    to: 'v_kept.call_id IS NULL OR',
    aims: cut('idempotencyKey done'),
  },
  {
    what: 'give back what they give again',
    in: { function: 'ledger.credit_undelivered' },
    from: 'AND k.body IS NOT NULL',
    to: 'AND false',
    aims: kill('settlement done', 'answer begun'),
  },
  ...streamMutants,
  ...jobMutants,
];

/** Accounts run short of credit later, because streams cost little. */
const streamCalls = 1_000;
const aimed = { calls: 350, seed: 1, processes: 2, callsPerFault: 35 } satisfies Options;

/** Returns the breaches that a run of `calls` calls finds in a mutant. */
export async function find(
  mutant: Mutant,
  calls = (mutant.streamShare ?? mutant.jobShare) === undefined ? aimed.calls : streamCalls,
): Promise<string[]> {
  const { aims, from, to, streamShare, jobShare } = mutant;
  const shares = {
    ...(streamShare !== undefined && { streamShare }),
    ...(jobShare !== undefined && { jobShare }),
  };
  const options = { ...aimed, calls, aims, ...shares };
  if ('function' in mutant.in) {
    const { breaches } = await run({ ...options, sabotage: SqlFlaw.replacing(mutant.in.function, from, to) });
    return breaches;
  }
  const folder = await mkdtemp(join(tmpdir(), 'sluice-mutant-'));
  try {
    for (const part of ['src', 'migrations', 'openapi', 'package.json'])
      await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'src', mutant.in.file);
    const source = await readFile(file, 'utf8');
    if (source.split(from).length !== 2) throw new Error(`${file} has not one of this: ${from}`);
    await writeFile(
      file,
      source.replace(from, () => to),
    );
    const { breaches } = await run({ ...options, tree: `${folder}/` });
    return breaches;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
