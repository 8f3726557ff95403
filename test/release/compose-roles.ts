import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import postgres from 'postgres';

const script = resolve(import.meta.dirname, '../../deploy/compose/roles.sh');
/** Characters that a careless script would take for syntax of the shell or of SQL. */
const password = `it's $HOME "and" \\x`;

/** The database of deploy/compose: its URL for the owner of the tables, and for the storefront. */
export type ComposeDatabase = { owner: string; app: string; drop(): Promise<void> };

/** Runs roles.sh on the server of `admin`, as the PostgreSQL container does when it is new. */
export async function create(admin: string): Promise<ComposeDatabase> {
  const { hostname, port, username, password: adminPassword, pathname } = new URL(admin);
  execFileSync('sh', [script], {
    env: {
      PATH: process.env.PATH,
      PGHOST: hostname,
      PGPORT: port,
      PGPASSWORD: decodeURIComponent(adminPassword),
      POSTGRES_USER: username,
      POSTGRES_DB: pathname.slice(1),
      POSTGRES_OWNER_PASSWORD: password,
      POSTGRES_APP_PASSWORD: password,
    },
    stdio: 'pipe',
  });
  const url = (role: string) =>
    `postgres://${role}:${encodeURIComponent(password)}@${hostname}:${port}/sluice`;
  return {
    owner: url('sluice_owner'),
    app: url('sluice_app'),
    async drop() {
      const sql = postgres(admin, { max: 1, onnotice: () => {} });
      await sql.unsafe('DROP DATABASE IF EXISTS sluice WITH (FORCE)');
      await sql.unsafe('DROP ROLE IF EXISTS sluice_owner, sluice_app');
      await sql.end();
    },
  };
}
