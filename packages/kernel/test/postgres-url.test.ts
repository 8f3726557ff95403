import { describe, expect, test } from 'vitest';
import * as PostgresUrl from '../src/postgres-url.ts';

const read = (text: string) => {
  const parsed = PostgresUrl.parse(text);
  if (!parsed.ok) throw new Error(parsed.faults.join('; '));
  return parsed.value;
};
const faults = (text: string) => {
  const parsed = PostgresUrl.parse(text);
  return parsed.ok ? [] : parsed.faults;
};

describe('a connection string', () => {
  test.each([
    [
      'Neon',
      'postgresql://u:p@ep-x.eu-central-1.aws.neon.tech/neondb?sslmode=require&channel_binding=require',
      'postgresql://u:p@ep-x.eu-central-1.aws.neon.tech/neondb?sslmode=require',
    ],
    [
      'Supabase with Prisma',
      'postgres://postgres.x:p@aws-0.pooler.supabase.com:5432/postgres?pgbouncer=true&connection_limit=1',
      'postgres://postgres.x:p@aws-0.pooler.supabase.com:5432/postgres',
    ],
    [
      'several hosts',
      'postgres://u:p@one.example:5432,two.example:5433/shop?target_session_attrs=read-write&load_balance_hosts=random',
      'postgres://u:p@one.example:5432,two.example:5433/shop?target_session_attrs=read-write',
    ],
    [
      'several hosts, of which the primary is meant',
      'postgres://u:p@one.example,two.example/shop',
      'postgres://u:p@one.example,two.example/shop?target_session_attrs=primary',
    ],
    [
      'several hosts, of which any is meant',
      'postgres://u@a,b/d?target_session_attrs=any',
      'postgres://u@a,b/d',
    ],
    ['no parameters', 'postgres://u:p%40@h/d', 'postgres://u:p%40@h/d'],
    ['server options', 'postgres://u@h/d?options=endpoint%3Dx', 'postgres://u@h/d?options=endpoint%3Dx'],
    ['another way to say TLS', 'postgres://u@h/d?ssl=true', 'postgres://u@h/d?sslmode=require'],
    ['the system’s roots', 'postgres://u@h/d?sslrootcert=system', 'postgres://u@h/d?sslmode=verify-full'],
  ])('of %s is taken', (_, text, url) => {
    expect(read(text)).toEqual({ url, rootCertPath: null });
  });

  test('of RDS names a root certificate, against which the server is verified', () => {
    const value = read('postgres://u:p@db.rds.amazonaws.com/d?sslmode=verify-full&sslrootcert=/etc/rds.pem');
    expect(value).toEqual({
      url: 'postgres://u:p@db.rds.amazonaws.com/d?sslmode=verify-full',
      rootCertPath: '/etc/rds.pem',
    });
    const path = new URL('./postgres-url.test.ts', import.meta.url).pathname;
    const full = PostgresUrl.driver(`postgres://u@h/d?sslmode=verify-full&sslrootcert=${path}`);
    expect(full.options.ssl?.ca).toContain('a connection string');
    expect(full.options.ssl?.checkServerIdentity).toBeUndefined();
    const required = PostgresUrl.driver(`postgres://u@h/d?sslmode=require&sslrootcert=${path}`);
    expect(required.options.ssl?.checkServerIdentity?.()).toBeUndefined();
    expect(() => PostgresUrl.driver('postgres://u@h/d?sslrootcert=/does/not/exist')).toThrow('ENOENT');
  });

  test.each([
    ['mysql://h/d', 'is not a postgres:'],
    ['nonsense', 'is not a postgres:'],
    ['postgres://u@h/d?sslcert=/client.pem', 'sslcert'],
    ['postgres://u@h/d?sslmode=maybe', 'sslmode=maybe'],
    ['postgres://u@h/d?target_session_attrs=any-old', 'target_session_attrs'],
    ['postgres://u@h/d?chanel_binding=require', 'chanel_binding'],
  ])('%s is refused by name', (text, fault) => {
    expect(faults(text)).toEqual([expect.stringContaining(fault)]);
    expect(() => PostgresUrl.driver(text)).toThrow(fault);
  });
});
