import { readFile } from 'node:fs/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('catalogue');

/** Reads the catalogue and the description that it names, as a start would. */
export async function checkCatalogue(
  path: string,
): Promise<{ findings: Finding.Finding[]; catalog: Catalog | null }> {
  let catalog: Catalog;
  try {
    catalog = await CatalogFile.load(path);
  } catch (fault) {
    const faults = Finding.reason(fault).split('\n');
    return {
      catalog: null,
      findings: faults.map((line) => problem(line, 'docs/catalog.md describes every key')),
    };
  }
  const { operations, services, plans, upstream } = catalog;
  const findings = [
    ok(`${path}: ${operations.length} operations in ${services.length} services, ${plans.length} plans`),
  ];
  if (upstream.description === '')
    findings.push(
      unproved(
        'it names no description of the API, so its calls cannot be checked against one',
        'upstream.description in the catalogue',
      ),
    );
  const guesses = (await readFile(path, 'utf8')).split('\n').filter((line) => /^\s*# \?/.test(line)).length;
  if (guesses > 0)
    findings.push(
      unproved(
        `${guesses} guesses are still marked with "?"`,
        `check them in ${path} and remove the mark: a ceiling that is too low withholds responses`,
      ),
    );
  return { findings, catalog };
}
