import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as BuiltPrograms from '../../../../test/support/built-programs.ts';
import * as Program from '../../../../test/support/program.ts';
import * as PeopleService from '../support/people-service.ts';
import * as MailWorld from './mail-world.ts';

const token = PeopleService.adminToken;

let world: MailWorld.MailWorld;
let settings: Record<string, string>;
beforeAll(async () => {
  world = await MailWorld.open(
    { 'jane@acme.test': null, 'gone@acme.test': null, 'jane@null.test': null },
    {
      'acme.test': { mx: [[10, 'mx.acme.test']] },
      'mx.acme.test': { a: ['127.0.4.1'] },
      'null.test': { mx: [[0, '.']] },
    },
  );
  await world.ordinary('127.0.4.1', (email) =>
    email.startsWith('jane@') ? null : { code: 550, text: '5.1.1 nobody' },
  );
  settings = {
    DIRECT_EMAIL_HELO: 'probe.sluice.test',
    DIRECT_EMAIL_FROM: 'postmaster@sluice.test',
    DIRECT_EMAIL_PORT: String(world.port),
    DIRECT_EMAIL_DNS: world.dns.server,
    DIRECT_EMAIL_PRIVATE_HOSTS: 'allow',
    DIRECT_EMAIL_REST_SECONDS: '1',
  };
});
afterAll(() => world.close());

type Run = { code: number; out: string; err: string };
async function emails(args: readonly string[], environment: Record<string, string> = {}): Promise<Run> {
  const script = await BuiltPrograms.pathOf('src/cli/sluice.ts');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: world.service.databaseUrl, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, 'emails', ...args], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

describe('the command', () => {
  it('sends nothing out before it is told who asks', async () => {
    const run = await emails(['verify']);
    expect([run.code, run.out]).toEqual([2, '']);
    expect(run.err).toContain('DIRECT_EMAIL_HELO');
    const half = await emails(['verify'], {
      DIRECT_EMAIL_HELO: 'probe.sluice.test',
      DIRECT_EMAIL_LINES: '1000',
    });
    expect(half.err).toBe(
      'DIRECT_EMAIL_LINES must be a whole number from 1 to 10\nDIRECT_EMAIL_HELO and DIRECT_EMAIL_FROM must be set together\n',
    );
    expect(world.dns.asked).toEqual([]);
    expect((await emails(['report'])).out).toMatch(/^No addresses are being verified\./);
  });

  it('tests what is due, tells what came of it, and reports', async () => {
    const run = await emails(['verify'], settings);
    expect([run.code, run.out]).toEqual([
      0,
      '1 verified, 2 invalid, 0 catch-all, 0 unknown, 0 later in 1 SMTP sessions (0 postponed for a free connection)\n',
    ]);
    expect(run.err).toMatch(/^Testing {2}3 addresses {2}/);
    const again = await emails(['verify', '--json'], settings);
    expect(JSON.parse(again.out)).toMatchObject({ conversations: 0, tests: { verified: 0, later: 0 } });
    const all = await emails(['verify', '--all', '--json'], settings);
    expect(JSON.parse(all.out)).toMatchObject({ tests: { verified: 1, invalid: 2, later: 0 } });

    const report = await emails(['report']);
    expect(report.out).toMatch(
      /^3 addresses, 1 of them verified within 30 days and returned to callers\n {2}verified +1 {2}accepted 1\n/,
    );
    expect(report.out).toMatch(/invalid +2 {2}no_mail(box)? 1, no_mail(box)? 1/);
    expect(report.out).toMatch(/0-5 days +3 {2}#{40}\n/);
    expect(report.out).toMatch(/Slowest servers\n {2}\d+\.\d s +2 {2}acme\.test, 0 failed/);
    expect(JSON.parse((await emails(['report', '--json'])).out)).toMatchObject({
      states: { verified: 1, invalid: 2, catch_all: 0, unknown: 0 },
      confirmed: 1,
      due: 0,
      oldestDueMs: null,
      untested: 0,
      ages: [3, 0, 0, 0, 0, 0],
      slowest: [{ operator: 'acme.test', conversations: 2, troubled: 0 }],
    });
  });

  it('explains itself, and ends with 2 where it is not understood', async () => {
    const help = await emails(['--help']);
    expect([help.code, help.err]).toEqual([0, '']);
    for (const args of [
      [],
      ['verfy'],
      ['verify', 'extra'],
      ['report', '--watch'],
      ['report', '--all'],
      ['verify', '--fast'],
    ]) {
      const run = await emails(args);
      expect([run.code, run.out]).toEqual([2, '']);
    }
  });
});

describe('the interface', () => {
  it('tests by itself what is due, and measures it for the operator only', async () => {
    await world.sql`update direct.address set due_at = now()`;
    const port = await Program.freePort();
    const program = await Program.start('packages/data-api/src/main.ts', {
      DATABASE_URL: world.service.databaseUrl,
      DIRECT_PORT: String(port),
      DIRECT_ADMIN_TOKEN: token,
      ...settings,
    });
    try {
      const scrape = (as: string) =>
        fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${as}` } });
      expect((await scrape('somebody-else-0123456789-0123456789')).status).toBe(401);
      for (;;) {
        const answer = await scrape(token);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
        const text = await answer.text();
        if (!text.includes('sluice_email_tests_total{result="invalid"} 2')) continue;
        expect(text).toContain('sluice_email_addresses{state="verified"} 1\n');
        expect(text).toContain('sluice_email_tests_total{result="verified"} 1\n');
        expect(text).toContain('sluice_email_addresses_due 0\n');
        for (const line of text.trimEnd().split('\n')) {
          expect(line).toMatch(
            /^(# (HELP|TYPE) sluice_(?:email|live)_[a-z_]+ .+|sluice_(?:email|live)_[a-z_]+(\{[a-z]+="[a-z_]+"\})? [\d.]+)$/,
          );
        }
        break;
      }
    } finally {
      expect(await program.stop()).toBe(0);
    }
  });
});
