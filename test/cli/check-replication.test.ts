import { expect, test } from 'vitest';
import * as Disk from '../../src/cli/check/disk.ts';
import * as Replication from '../../src/cli/check/replication.ts';

const alone: Replication.Replication = {
  isStandby: false,
  synchronousNames: '',
  commit: 'on',
  standbys: [],
  statementTimeoutMs: 2_000,
  idleInTransactionMs: 10_000,
};
const synchronous = {
  ...alone,
  synchronousNames: 'node2',
  standbys: [{ sync_state: 'sync' }, { sync_state: 'async' }],
};

test.each<[string, Replication.Replication, RegExp[]]>([
  ['one server', alone, [/^ok: no standby/]],
  [
    'a synchronous standby',
    synchronous,
    [/^ok: commits wait for a synchronous standby; 2 standbys connected/],
  ],
  [
    'a role that may not see more than their number',
    { ...synchronous, standbys: [{ sync_state: null }] },
    [/^ok: commits wait/],
  ],
  [
    'an asynchronous standby',
    { ...alone, standbys: [{ sync_state: 'async' }] },
    [/^not proved: 1 standby replicates/],
  ],
  [
    'a role that does not wait',
    { ...synchronous, commit: 'local' },
    [/^problem: synchronous_commit is local/],
  ],
  [
    'no standby where one is needed',
    { ...synchronous, standbys: [] },
    [/^problem: no synchronous standby is connected/],
  ],
  [
    'standbys of other names',
    { ...synchronous, standbys: [{ sync_state: 'async' }] },
    [/^problem: 1 standby is connected, and none/],
  ],
  ['a standby', { ...alone, isStandby: true }, [/^problem: it is a standby/]],
  [
    'a pooler that drops time-outs',
    { ...synchronous, statementTimeoutMs: 0, idleInTransactionMs: 0 },
    [
      /^ok/,
      /^problem: statement_timeout and idle_in_transaction_session_timeout of the connection are ignored/,
    ],
  ],
])('the check of %s', (_, replication, expected) => {
  const said = Replication.judge(replication).map(({ state, says }) => `${state}: ${says}`);
  expect(said).toHaveLength(expected.length);
  for (const [at, pattern] of expected.entries()) expect(said[at]).toMatch(pattern);
});

test('a disk that is nearly full is a problem', () => {
  expect(Disk.judge(9e9, 100e9)).toMatchObject({
    state: 'problem',
    says: '8 of 93 GiB of its disk are free',
  });
  expect(Disk.judge(50e9, 100e9)).toMatchObject({ state: 'ok' });
});
