import * as Brand from '../../../catalog/brand.ts';
import { apply, type Edit, type EditResult } from '../../../catalog/catalog-edit.ts';
import { lineDiff } from '../../../catalog/line-diff.ts';
import { mergeLines } from '../../../catalog/line-merge.ts';
import * as SourceLocation from '../../../catalog/source-location.ts';
import { can } from '../../../identity/operators/role.ts';
import type {
  CatalogEditor,
  CatalogFileState,
  ProposalFault,
  PublishResult,
} from '../../../journeys/catalog-editing.ts';
import type { Html } from '../../pages/frame.ts';
import * as Fields from '../catalogue-fields.ts';
import type { Console } from '../console.ts';
import * as Meters from '../meter-fields.ts';
import { additionOf } from '../new-plan.ts';
import type { FormResult } from '../pages/account.ts';
import * as EditPage from '../pages/catalogue-edit.ts';
import * as FilePage from '../pages/catalogue-file.ts';
import * as ReviewPage from '../pages/catalogue-review.ts';
import * as LoginPage from '../pages/login-page.ts';
import type { ConsoleResponse } from '../response.ts';
import { changedByOthers, changedIn } from '../stale-form.ts';

const forms = ['plans', 'prices', 'brand'] as const;
const noteCharsMax = 200;
const soughtCharsMax = 200;
const problem = 'Nothing was published. Correct the problems and review again.';
const stale =
  'The file has changed since this page was loaded. Nothing was published. What you changed is kept below, on top of the new file: check it and review again.';
const staleStart = 'The file has changed since this page was loaded. Nothing was published.';
const staleMerged = `${staleStart} Your changes were merged with the new file, which is shown below: check it and review again.`;
const staleConflict = `${staleStart} The new file is shown below with your changes, but another person changed some of the same lines. If you publish it, your lines replace theirs:`;
const staleUnmerged = `${staleStart} Your text is shown below. It is based on an older file: if you publish it, it replaces the whole new file, with these differences.`;

const chooseAgain = 'Choose the image again.';

/** Returns the page of the catalogue with the outcome of a form. */
type Front = (role: Parameters<typeof can>[0], result: FormResult) => Promise<ConsoleResponse>;

/** The forms for plans, prices and branding, the whole file, the review of an edit, and the history. */
export function addCatalogueEditing(
  console: Console,
  editor: CatalogEditor,
  shown: Fields.Shown,
  front: Front,
): void {
  for (const form of forms) addForm(console, editor, form, shown);
  addFile(console, editor);

  console.addAction('/admin/console/catalogue/publish', async (_, form, person) => {
    const state = await editor.file();
    const text = withLineEnds(form.get('text') ?? '', state.text);
    if (form.get('act') === 'download') return download(state.name, text);
    const note = (form.get('note') ?? '').trim().slice(0, noteCharsMax);
    const published = await editor.publish({ text, base: form.get('base') ?? '', note }, person.who);
    if (published.kind === 'published')
      return front(person.role, { text: 'Published. Every process now uses this catalogue.', isBad: false });
    const { faults, result } = refusal(published);
    if (published.kind === 'stale') return staleFile(editor, text, form.get('base') ?? '');
    return filePage(await editor.file(), text, faults, result);
  });
  console.addPage('/admin/console/catalogue/history/:id', async (c, { role }) => {
    const id = /^\d{1,15}$/.exec(c.req.param('id') ?? '')?.[0];
    const found = id === undefined ? null : await editor.publication(Number(id));
    if (found === null) {
      const main = LoginPage.problem('Page not found', 'There is no such publication.');
      return { status: 404, title: 'Page not found', main };
    }
    const main = ReviewPage.publication(found, await editor.file(), can(role, 'publish'));
    return { title: 'Publication', main };
  });
}

function addForm(
  console: Console,
  editor: CatalogEditor,
  form: Fields.CatalogueForm,
  shown: Fields.Shown,
): void {
  const page = (
    file: CatalogFileState,
    typed: ReadonlyMap<string, string> = new Map(),
    faults: readonly ProposalFault[] = [],
    result: FormResult = null,
    logoFault?: string,
    said?: URLSearchParams,
  ): ConsoleResponse => {
    const groups = Fields.groupsOf(form, file.text, shown);
    const others = said === undefined ? new Map<string, string>() : changedByOthers(said, groups);
    const facts = { form, file, groups, typed, others, faults, result, ...(logoFault && { logoFault }) };
    const main = EditPage.edit(facts);
    return { title: 'Edit the catalogue', status: result === null ? 200 : 422, main };
  };
  const path = `/admin/console/catalogue/${form}` as const;
  console.addPage(path, async () => page(await editor.file()));
  console.addAction(path, async (_, said) => {
    const file = await editor.file();
    const typed = Fields.typedIn(said);
    const upload = form === 'brand' ? uploadIn(said) : null;
    // A browser does not keep a chosen file.
    const lost = upload === null ? undefined : chooseAgain;
    if (said.get('base') !== file.digest)
      return page(file, changedIn(said), [], { text: stale, isBad: true }, lost, said);
    if (form === 'brand' && said.get('act') === 'preview') return page(file, typed, [], null, lost);
    const draft = draftOf(form, file.text, Fields.groupsOf(form, file.text, shown), upload, said);
    if (draft.kind === 'faulty')
      return page(file, typed, draft.faults, resultOf(draft), draft.logoFault ?? lost);
    const proposal = await editor.propose(draft.text);
    if (proposal.kind === 'faulty')
      return page(file, typed, proposal.faults, { text: problem, isBad: true }, lost);
    return { title: 'Review changes', main: await reviewOf(editor, file, draft.text, proposal) };
  });
}

type Draft =
  | { kind: 'edited'; text: string }
  | { kind: 'faulty'; result: string; faults: readonly ProposalFault[]; logoFault?: string };

function resultOf({ result: text, logoFault }: Extract<Draft, { kind: 'faulty' }>): FormResult {
  const fix = { id: 'upload', name: 'Choose another image' };
  return { text, isBad: true, ...(logoFault !== undefined && { fix }) };
}

/** Applies the edits of a form to the text of the catalogue. */
function draftOf(
  form: Fields.CatalogueForm,
  text: string,
  groups: ReturnType<typeof Fields.groupsOf>,
  upload: ReturnType<typeof uploadIn>,
  said: URLSearchParams,
): Draft {
  const faulty = (result: string, faults: readonly ProposalFault[] = []): Draft => ({
    kind: 'faulty',
    result,
    faults,
  });
  if (upload !== null && 'fault' in upload)
    return { kind: 'faulty', result: problem, faults: [], logoFault: upload.fault };
  const unread = form === 'prices' ? Fields.spreadPrices(groups, said) : [];
  if (unread.length > 0) return faulty(problem, unread.map(notAnAmount));
  const edits = withUpload(editsIn(form, text, groups, said), upload);
  const taken = groups.map(({ id = '' }) => id);
  const addition = form === 'plans' ? additionOf(said, taken) : null;
  if (addition !== null && addition.item.name === undefined)
    return faulty(problem, [{ path: `plans[${groups.length}].name`, line: null, reason: 'Enter a name.' }]);
  if (edits.length === 0 && addition === null) return faulty('Nothing was changed in the form.');
  const edited = apply(text, edits, addition === null ? [] : [addition]);
  return edited.kind === 'refused' ? faulty(problem, [cannotEdit(edited)]) : edited;
}

/** The edits of a form, with those of the prices that it adds. */
function editsIn(
  form: Fields.CatalogueForm,
  text: string,
  groups: ReturnType<typeof Fields.groupsOf>,
  said: URLSearchParams,
): Edit[] {
  const edits = Fields.editsOf(groups, said);
  return form === 'prices' ? [...edits, ...Meters.newPrices(text, groups.length, said)] : edits;
}

/** Adds the upload to the edits. A new image replaces the box that removes the present one. */
function withUpload(edits: readonly Edit[], upload: Edit | null): Edit[] {
  if (upload === null) return [...edits];
  const at = SourceLocation.format(upload.path);
  return [...edits.filter(({ path }) => SourceLocation.format(path) !== at), upload];
}

/** Reads the image that the form of the branding uploads, as an edit; null without one. */
function uploadIn(said: URLSearchParams): Edit | { fault: string } | null {
  const bytes = Buffer.from(said.get('upload') ?? '', 'base64');
  if (bytes.length === 0) return null;
  const checked = Brand.checkUpload(bytes);
  if (!checked.ok) return { fault: `The image ${checked.reason}.` };
  return { path: ['storefront', 'brand', 'logo'], value: Brand.embedded(bytes) };
}

function addFile(console: Console, editor: CatalogEditor): void {
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
    const proposal = await editor.propose(text);
    if (proposal.kind === 'faulty')
      return filePage(file, text, proposal.faults, { text: problem, isBad: true });
    return { title: 'Review changes', main: await reviewOf(editor, file, text, proposal) };
  });
}

/** Names what the edit takes back of the last publication. */
async function reviewOf(
  editor: CatalogEditor,
  file: CatalogFileState,
  text: string,
  proposal: Parameters<typeof ReviewPage.review>[2],
) {
  const last = await editor.last();
  return ReviewPage.review(file, text, proposal, last?.text === file.text ? last : null);
}

/** The whole file after an edit of an older one: both edits merged, or the edit with what it would undo. */
async function staleFile(editor: CatalogEditor, text: string, base: string): Promise<ConsoleResponse> {
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
  return { title: 'Edit the catalogue', main };
}

function filePage(
  file: CatalogFileState,
  text: string,
  faults: readonly ProposalFault[],
  result: FormResult,
  more?: Html,
): ConsoleResponse {
  const main = FilePage.file(file, text, faults, result, more);
  return { title: 'Edit the catalogue', status: result === null ? 200 : 422, main };
}

function refusal(published: Exclude<PublishResult, { kind: 'published' }>): {
  faults: readonly ProposalFault[];
  result: FormResult;
} {
  const bad = (text: string) => ({ text, isBad: true });
  switch (published.kind) {
    case 'stale':
      return { faults: [], result: null };
    case 'read_only':
      return {
        faults: [],
        result: bad(
          'This process may not write the file. Nothing was published. Review again and download the file.',
        ),
      };
    case 'faulty':
      return { faults: published.faults, result: bad(problem) };
    case 'refused':
      return {
        faults: published.refusals.map((reason) => ({ path: '', line: null, reason })),
        result: bad(problem),
      };
  }
}

function notAnAmount(path: string): ProposalFault {
  return { path, line: null, reason: 'Enter an amount in US dollars, such as 0.001.' };
}

function cannotEdit({ path }: Extract<EditResult, { kind: 'refused' }>): ProposalFault {
  const reason =
    'cannot be changed in this form, because the file writes it in a shared or unusual way. Edit the file.';
  return { path: SourceLocation.format(path), line: null, reason: `${SourceLocation.name(path)} ${reason}` };
}

/** Browsers send line breaks as CRLF. Returns the text with the line breaks of the file. */
function withLineEnds(text: string, file: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  return file.includes('\r\n') ? plain.replaceAll('\n', '\r\n') : plain;
}

function download(name: string, text: string): Response {
  const headers = {
    'content-type': 'application/yaml; charset=utf-8',
    'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return new Response(text, { headers });
}
