import * as CommandLine from '@sluice/kernel/command-line';
import * as Migrate from '../../adapters/postgres/migrate.ts';
import * as SchemaVersion from '../../adapters/postgres/schema-version.ts';
import * as Command from '../command.ts';
import * as ShopDatabase from '../shop-database.ts';
import * as Wait from '../wait.ts';

export const help = `Applies the migrations and SQL functions of this version to the shop's database, and exits.

  sluice migrate            before the processes of a new version start; running processes of the previous version continue
  sluice migrate --check    reports what is pending, and changes nothing

It can be repeated and run in parallel: one migrates, the others wait for it, at most a minute. On a database that is up to date it only
reads. With DATABASE_OWNER_URL it works as the owner of the tables, and grants the role of DATABASE_URL what a storefront needs.
Storefronts with MIGRATE=off leave the database as it is, and do not start before this command has run.

  --json   the state of the database, for programs

Exit code: 0 up to date; 1 something is pending (--check), or the database is newer than this version or of a different build; 2 the database
could not be read or changed.`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    check: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  CommandLine.noMore(positionals);
  const database = await ShopDatabase.reach(process.env);
  try {
    const ownerUrl = process.env.DATABASE_OWNER_URL || null;
    const before = await Migrate.readVersion(ownerUrl ?? database.url);
    const isBehind = before.kind === 'behind';
    if (!SchemaVersion.isAccepted(before))
      return values.json ? tell(before, 1) : Command.tell(SchemaVersion.refusal(before), 1);
    if (values.check) return values.json ? tell(before, Number(isBehind)) : tellPending(before);
    // Also on a database that is up to date: the role of DATABASE_URL may be new.
    await Wait.during('Migrating', () => Migrate.migrate(database.url, ownerUrl));
    if (values.json) return tell(await Migrate.readVersion(ownerUrl ?? database.url), 0);
    return Command.tell(isBehind ? done(before) : 'The database is up to date: nothing to apply.', 0);
  } finally {
    await database.leave();
  }
}

function tell(version: SchemaVersion.SchemaVersion, code: number): number {
  console.log(JSON.stringify(version, null, 2));
  return code;
}

type Accepted = Extract<SchemaVersion.SchemaVersion, { kind: 'current' | 'behind' }>;

function tellPending(version: Accepted): number {
  if (version.kind === 'current')
    return Command.tell(
      `The database is up to date: all ${version.applied} migrations and the functions.`,
      0,
    );
  return Command.tell(`Not up to date: ${SchemaVersion.pendingText(version)}. Apply: sluice migrate`, 1);
}

function done({ pending }: Extract<Accepted, { kind: 'behind' }>): string {
  if (pending === 0) return 'Applied the functions of this version.';
  return `Applied ${pending} ${pending === 1 ? 'migration' : 'migrations'} and the functions of this version.`;
}
