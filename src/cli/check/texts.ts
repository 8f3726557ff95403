import * as TextFile from '../../text/file.ts';
import * as Finding from './finding.ts';

const { ok, problem } = Finding.findingsOf('texts');

/**
 * Validates the file with the seller's texts. Returns no findings without one.
 * @param units the units of the catalogue
 */
export async function checkTexts(path: string | null, units: readonly string[]): Promise<Finding.Finding[]> {
  if (path === null) return [];
  try {
    const { texts } = await TextFile.read(path, units);
    return [ok(`${path}: no faults found; the language is ${texts.language}`)];
  } catch (fault) {
    const faults = Finding.reason(fault).split('\n');
    return faults.map((line) => problem(line, 'docs/translating.md; sluice texts prints every key'));
  }
}
