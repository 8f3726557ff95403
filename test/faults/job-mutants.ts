import type { Mutant } from './mutant.ts';

const reloads = [{ act: 'reload', at: 'answer sent' }] as const;
const mostly = 0.5;

/** A mutant for each promise about jobs. */
export const jobMutants: readonly Mutant[] = [
  {
    what: 'charge a job that failed',
    in: { file: 'journeys/job-watch.ts' },
    from: "if (state === 'failed') return free;",
    to: "if (state === 'failed') return wholeCharge;",
    aims: reloads,
    jobShare: mostly,
  },
  {
    what: 'start a job without a record of it',
    in: { file: 'journeys/started-job.ts' },
    from: "    id === null\n      ? 'unreadable'",
    to: "    id !== null\n      ? 'open'\n      : id === null\n      ? 'unreadable'",
    aims: reloads,
    jobShare: mostly,
  },
  {
    what: 'end a job whose start was credited back',
    in: { function: 'ledger.end_job' },
    from: 'IF EXISTS (SELECT FROM ledger.posting p WHERE p.key IN',
    to: 'IF false AND EXISTS (SELECT FROM ledger.posting p WHERE p.key IN',
    aims: [{ act: 'kill', at: 'settlement done' }],
    jobShare: mostly,
  },
];
