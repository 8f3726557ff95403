import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as BuiltPrograms from '../../../../test/support/built-programs.ts';
import { createDatabase } from '../../../../test/support/database.ts';
import * as PeopleService from '../support/people-service.ts';

const nowhere = 'postgres://127.0.0.1:1/nowhere';

let service: PeopleService.PeopleService;
beforeAll(async () => {
  service = await PeopleService.start();
  // The command uses the system clock.
  service.clock.nowMs = Date.now();
});
afterAll(() => service.close());

type Run = { code: number; out: string; err: string };
async function keys(args: readonly string[], databaseUrl: string | null = service.databaseUrl): Promise<Run> {
  const script = await BuiltPrograms.pathOf('src/cli/sluice.ts');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, 'direct', 'keys', ...args], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}
// biome-ignore lint/suspicious/noExplicitAny: tests read the JSON output by field
async function json(...args: string[]): Promise<any> {
  const run = await keys([...args, '--json']);
  expect([run.err, run.code]).toEqual(['', 0]);
  return JSON.parse(run.out);
}
const statusOf = async (secret: string) => {
  service.clock.nowMs = Date.now();
  return (await service.keyInfo(secret)).status;
};

describe('the command', () => {
  it('makes a key, shows it once, lists it, rotates it and revokes it', async () => {
    const made = await keys(['create', '--plan', 'Trial', '--label', 'Acme']);
    expect(made.code).toBe(0);
    const [secret = ''] = /sk_[\w-]{43}/.exec(made.out) ?? [];
    const [id = ''] = /key_[0-9a-f]{24}/.exec(made.out) ?? [];
    expect(await statusOf(secret)).toBe(200);

    const list = await keys(['list']);
    expect(list.out).toMatch(
      new RegExp(`${id} {2}Acme\\n {2}Trial \\(active\\).*\\n {2}records: 1000 of 1000`),
    );
    expect(list.out).not.toContain(secret);

    const rotated = await json('rotate', id, '--overlap', '0');
    expect(rotated.key.id).toBe(id);
    expect([await statusOf(secret), await statusOf(rotated.secret)]).toEqual([401, 200]);

    expect((await keys(['revoke', id])).out).toContain('revoked');
    expect(await statusOf(rotated.secret)).toBe(401);
  });

  it('changes plan, status and operations', async () => {
    const { key, secret } = await json(
      'create',
      '--plan',
      'Mine',
      '--rate',
      '4',
      '--records',
      'unlimited',
      '--only',
      '/v2/jobs/company',
    );
    expect(key).toMatchObject({
      plan: { name: 'Mine', requests_per_second: 4, records_per_month: 'unlimited' },
      allowed_apis: ['/v2/jobs/company'],
    });
    expect((await json('limit', key.id, '--all')).key.allowed_apis).toBe('all');
    expect((await json('set-plan', key.id, '--status', 'past_due')).key.plan.status).toBe('past_due');
    expect((await json('set-plan', key.id, '--plan', 'Scale')).key.plan).toMatchObject({
      name: 'Scale',
      status: 'active',
    });
    const { key: rotated } = await json('rotate', key.id, '--overlap', '2h');
    expect(Date.parse(rotated.secrets[0].ends_at) - Date.parse(rotated.secrets[1].made_at)).toBe(7_200_000);
    expect(await statusOf(secret)).toBe(200);
  });

  it('explains itself, and ends with 2 where it is not understood', async () => {
    const help = await keys(['--help'], null);
    expect([help.code, help.err]).toEqual([0, '']);
    for (const command of ['create', 'list', 'rotate', 'set-plan', 'limit', 'revoke']) {
      expect(help.out).toContain(`sluice direct keys ${command}`);
    }
    for (const args of [
      [],
      ['mkae'],
      ['rotate'],
      ['create', 'extra', '--plan', 'Start'],
      ['list', '--plan', 'Start'],
      ['set-plan', 'key_x'],
      ['create', '--plna', 'Start'],
    ]) {
      const run = await keys(args, null);
      expect([run.code, run.out]).toEqual([2, '']);
      expect(run.err).toContain('sluice help direct keys');
    }
  });

  it('ends with 1 where it is refused, saying why', async () => {
    const unknown = await keys(['revoke', 'key_nobody']);
    expect(unknown).toMatchObject({
      code: 1,
      out: '',
      err: 'There is no key key_nobody. List all keys: sluice direct keys list\n',
    });
    const wrong = await keys(['create', '--plan', 'Mine', '--rate', 'fast', '--records', '5', '--json']);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.err).errors).toEqual([
      { field: 'plan.requests_per_second', message: 'Expected integer' },
    ]);
  });

  it('ends with 2 where the database is out of reach or has no keys', async () => {
    const away = await keys(['list', '--database-url', nowhere]);
    expect(away.code).toBe(2);
    expect(away.err).toMatch(/^The database of the keys is unavailable: /);
    const empty = await createDatabase();
    try {
      const run = await keys(['list'], empty.url);
      expect(run.code).toBe(2);
      expect(run.err).toContain('Start the data API on this database once');
    } finally {
      await empty.drop();
    }
  });
});
