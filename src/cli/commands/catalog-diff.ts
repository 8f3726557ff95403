import { openCatalogs } from '../../adapters/postgres/catalogs.ts';
import { openConnection } from '../../adapters/postgres/connection.ts';
import * as PlanHoldings from '../../adapters/postgres/plan-holdings.ts';
import * as CatalogImpact from '../../catalog/catalog-impact.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as ShopDatabase from '../shop-database.ts';

const exit = { same: 0, differs: 1, unreadable: 2 };

/** Shows the effects of a catalogue compared with the one that the shop loaded last. Resolves to the exit code. */
export async function run(path: string, asJson: boolean): Promise<number> {
  const loadedCatalog = await CatalogFile.read(path);
  const database = await ShopDatabase.reach(process.env);
  const sql = openConnection(database.url, 1, PlanHoldings.stakesMsMax);
  try {
    const last = await openCatalogs(sql).last();
    const before = last && CatalogFile.parse(last.text, path);
    if (!last || !before?.ok) {
      console.error(
        'There is nothing to compare with: no process of this shop has loaded a catalogue that is still readable.',
      );
      return exit.unreadable;
    }
    const isSame = last.digest === loadedCatalog.digest;
    const consequences = CatalogImpact.impactsOf(
      before.catalog,
      loadedCatalog.catalog,
      await PlanHoldings.openPlanHoldings(sql).all(),
    );
    const takenAt = new Date(last.takenMs).toISOString();
    const facts = { running: last.digest, taken_at: takenAt, digest: loadedCatalog.digest };
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
  consequences: CatalogImpact.Impacts,
): string {
  if (isSame) return `${path} is the catalogue that the shop loaded (${takenAt}).`;
  const lines = CatalogImpact.inWords(consequences);
  const nothing = 'Nothing changes for buyers: only wording, or the description of the upstream.';
  return [
    `${path}, compared with the catalogue loaded ${takenAt}:`,
    '',
    ...(lines.length > 0 ? lines : [nothing]),
  ].join('\n');
}
