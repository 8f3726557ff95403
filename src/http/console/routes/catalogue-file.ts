import { lineDiff } from '../../../catalog/line-diff.ts';
import { mergeLines } from '../../../catalog/line-merge.ts';
import type {
  CatalogEditor,
  CatalogFileState,
  Proposal,
  ProposalFault,
} from '../../../journeys/catalog-editing.ts';
import type { Html } from '../../pages/frame.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import * as FilePage from '../pages/catalogue-file.ts';
import * as ReviewPage from '../pages/catalogue-review.ts';
import type { ConsoleResponse } from '../response.ts';

const soughtCharsMax = 200;
/** The outcome of an edit with faults. */
export const problem = 'Nothing was published. Correct the problems and review again.';
const staleStart = 'The file has changed since this page was loaded. Nothing was published.';
const staleMerged = `${staleStart} Your changes were merged with the new file, which is shown below: check it and review again.`;
const staleConflict = `${staleStart} The new file is shown below with your changes, but another person changed some of the same lines. If you publish it, your lines replace theirs:`;
const staleUnmerged = `${staleStart} Your text is shown below. It is based on an older file: if you publish it, it replaces the whole new file, with these differences.`;

/** The whole file in an editor. */
export function addCatalogueFile(console: Console, editor: CatalogEditor): void {
  const path = '/admin/console/catalogue/file';
  console.addPage(path, async () => {
    const file = await editor.file();
    return filePage(file, file.text, [], null);
  });
  console.addAction(path, async (_, said) => {
    const file = await editor.file();
    const text = withLineEnds(said.get('text') ?? '', file.text);
    if (said.get('act') === 'find')
      return foundPage({ ...file, digest: said.get('base') ?? '' }, text, said.get('sought'));
    if (said.get('base') !== file.digest) return staleFile(editor, text, said.get('base') ?? '');
    if (said.get('act') === 'back') return filePage(file, text, [], null);
    const proposal = await editor.propose(text);
    if (proposal.kind === 'faulty')
      return filePage(file, text, proposal.faults, { text: problem, isBad: true });
    const fields = [['base', file.digest] as const, ['text', text] as const];
    return reviewPage(editor, file, text, proposal, { path, fields });
  });
}

/** Shows the effects of an edit, also those that take back the last publication. `back` leads to its form again. */
export async function reviewPage(
  editor: CatalogEditor,
  file: CatalogFileState,
  text: string,
  proposal: Extract<Proposal, { kind: 'sound' }>,
  back: ReviewPage.Back,
): Promise<ConsoleResponse> {
  const last = await editor.last();
  const main = ReviewPage.review(file, text, proposal, last?.text === file.text ? last : null, back);
  return { title: 'Review changes', main, isEditor: true };
}

/** The whole file after an edit of an older one: both edits merged, or the edit with what it would undo. */
export async function staleFile(editor: CatalogEditor, text: string, base: string): Promise<ConsoleResponse> {
  const [file, before] = await Promise.all([editor.file(), editor.textOf(base)]);
  if (before === null) {
    const undone = lineDiff(file.text, text);
    return filePage(file, text, [], { text: staleUnmerged, isBad: true }, FilePage.undone(undone));
  }
  const merged = mergeLines(before, file.text, text);
  if (merged.conflicts.length === 0)
    return filePage(file, merged.text, [], { text: staleMerged, isBad: true });
  const result = { text: staleConflict, isBad: true };
  return filePage(file, merged.text, [], result, FilePage.conflicts(merged.conflicts));
}

/** The file as it was sent, still based on the same text, with the lines that contain a text. */
function foundPage(base: CatalogFileState, text: string, sought: string | null): ConsoleResponse {
  const main = FilePage.file(base, text, [], null, undefined, (sought ?? '').trim().slice(0, soughtCharsMax));
  return { title: 'Edit the file', main, isEditor: true };
}

export function filePage(
  file: CatalogFileState,
  text: string,
  faults: readonly ProposalFault[],
  result: FormResult,
  more?: Html,
): ConsoleResponse {
  const main = FilePage.file(file, text, faults, result, more);
  return { title: 'Edit the file', status: result === null ? 200 : 422, main, isEditor: true };
}

/** Browsers send line breaks as CRLF. Returns the text with the line breaks of the file. */
export function withLineEnds(text: string, file: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  return file.includes('\r\n') ? plain.replaceAll('\n', '\r\n') : plain;
}
