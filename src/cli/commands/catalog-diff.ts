import { parseArgs } from 'node:util';
import * as Catalogs from '../../adapters/postgres/catalogs.ts';
import * as Connection from '../../adapters/postgres/connection.ts';
import * as Stakes from '../../adapters/postgres/stakes.ts';
import * as Consequence from '../../catalog/consequence.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Settings from '../../process/settings.ts';
import * as ShopDatabase from '../shop-database.ts';

const exit = { same: 0, refused: 1, unreadable: 2, differs: 3 };

/** What taking a catalogue would change for whom, against the one that a process of the shop took last. Resolves to the exit code. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const gathered = await Settings.gather(process.env);
  if (!gathered.ok) {
    console.error(gathered.faults.join('\n'));
    return exit.unreadable;
  }
  const path = positionals[0] ?? catalogPath(gathered.env);
  const goods = await CatalogFile.read(path).catch((fault: Error) => fault.message);
  if (typeof goods === 'string') {
    console.error(goods);
    return exit.refused;
  }
  const database = await ShopDatabase.reach(gathered.env.DATABASE_URL);
  const sql = Connection.open(database.url, 1);
  try {
    const last = await Catalogs.open(sql).last();
    const before = last && CatalogFile.parse(last.text, path);
    if (!last || !before?.ok) {
      console.error(
        'No process of this shop has taken a catalogue that can be read now: there is nothing to compare with.',
      );
      return exit.unreadable;
    }
    const isSame = last.digest === goods.digest;
    const consequences = Consequence.of(before.catalog, goods.catalog, await Stakes.open(sql).all());
    const takenAt = new Date(last.takenMs).toISOString();
    const facts = { running: last.digest, taken_at: takenAt, digest: goods.digest };
    if (values.json) console.log(JSON.stringify({ ...facts, ...consequences }, null, 2));
    else console.log(inWords(path, takenAt, isSame, consequences));
    return isSame ? exit.same : consequences.refusals.length > 0 ? exit.refused : exit.differs;
  } finally {
    await sql.end({ timeout: 2 });
    await database.leave();
  }
}

function inWords(
  path: string,
  takenAt: string,
  isSame: boolean,
  consequences: Consequence.Consequences,
): string {
  if (isSame) return `${path} is what the shop has taken (${takenAt}).`;
  const lines = Consequence.inWords(consequences);
  const nothing = 'Nothing changes for anybody: another wording, or another description of the upstream.';
  return [
    `${path}, in place of what was taken ${takenAt}:`,
    '',
    ...(lines.length > 0 ? lines : [nothing]),
  ].join('\n');
}
