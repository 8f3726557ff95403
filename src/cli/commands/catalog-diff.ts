import * as Catalogs from '../../adapters/postgres/catalogs.ts';
import * as Connection from '../../adapters/postgres/connection.ts';
import * as Stakes from '../../adapters/postgres/stakes.ts';
import * as Consequence from '../../catalog/consequence.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as ShopDatabase from '../shop-database.ts';

const exit = { same: 0, differs: 1, unreadable: 2 };

/** What taking a catalogue would change for whom, against the one that a process of the shop took last. Resolves to the exit code. */
export async function run(path: string, asJson: boolean): Promise<number> {
  const goods = await CatalogFile.read(path);
  const database = await ShopDatabase.reach(process.env);
  const sql = Connection.open(database.url, 1, Stakes.stakesMsMax);
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
    if (asJson) console.log(JSON.stringify({ ...facts, ...consequences }, null, 2));
    else console.log(inWords(path, takenAt, isSame, consequences));
    return isSame ? exit.same : exit.differs;
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
