import * as Brand from '../../../catalog/brand.ts';
import { apply, type Edit, type EditResult } from '../../../catalog/catalog-edit.ts';
import * as SourceLocation from '../../../catalog/source-location.ts';
import type { CatalogEditor, CatalogFileState, ProposalFault } from '../../../journeys/catalog-editing.ts';
import * as Fields from '../catalogue-fields.ts';
import type { Console } from '../console.ts';
import * as Meters from '../meter-fields.ts';
import { additionOf } from '../new-plan.ts';
import type { FormResult } from '../pages/account.ts';
import * as EditPage from '../pages/catalogue-edit.ts';
import type { ConsoleResponse } from '../response.ts';
import { changedByOthers, changedIn } from '../stale-form.ts';
import { problem, reviewPage } from './catalogue-file.ts';

const forms = ['plans', 'prices', 'brand'] as const;
/** Acts of a form that show it again: with a preview, or after its review. */
const unsent = ['preview', 'back'];
const stale =
  'The file has changed since this page was loaded. Nothing was published. What you changed is kept below, on top of the new file: check it and review again.';

/** The forms for plans, prices and branding. */
export function addCatalogueForms(console: Console, editor: CatalogEditor, shown: Fields.Shown): void {
  for (const form of forms) addForm(console, editor, form, shown);
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
    upload: Upload = null,
    faults: readonly ProposalFault[] = [],
    result: FormResult = null,
    said?: URLSearchParams,
  ): ConsoleResponse => {
    const groups = Fields.groupsOf(form, file.text, shown);
    const others = said === undefined ? new Map<string, string>() : changedByOthers(said, groups);
    const facts = { form, file, groups, typed, others, faults, result, upload };
    const status = result === null ? 200 : 422;
    return { title: EditPage.titles[form], status, main: EditPage.edit(facts), isEditor: true };
  };
  const path = `/admin/console/catalogue/${form}` as const;
  console.addPage(path, async () => page(await editor.file()));
  console.addAction(path, async (_, said) => {
    const file = await editor.file();
    const typed = Fields.typedIn(said);
    const fields = fieldsToKeep(said);
    const upload = form === 'brand' ? uploadIn(said) : null;
    if (said.get('base') !== file.digest)
      return page(file, changedIn(said), upload, [], { text: stale, isBad: true }, said);
    if (unsent.includes(said.get('act') ?? '')) return page(file, typed, upload);
    const draft = draftOf(form, file.text, Fields.groupsOf(form, file.text, shown), upload, said);
    if (draft.kind === 'faulty')
      return page(file, typed, upload, draft.faults, { text: draft.result, isBad: true });
    const proposal = await editor.propose(draft.text);
    const unread = upload !== null && 'fault' in upload ? [unreadLogo(upload.fault)] : [];
    const faults = [...(proposal.kind === 'faulty' ? proposal.faults : []), ...unread];
    if (proposal.kind === 'faulty' || unread.length > 0)
      return page(file, typed, upload, faults, { text: problem, isBad: true });
    return reviewPage(editor, file, draft.text, proposal, { path, fields });
  });
}

/** The fields of a form that lead back to it, with a chosen image, which a browser does not keep. */
function fieldsToKeep(said: URLSearchParams): [string, string][] {
  const image = imageIn(said);
  const others = [...said].filter(([name]) => !['act', 'upload', 'kept', 'drop'].includes(name));
  return image === '' ? others : [...others, ['kept', image]];
}

type Draft =
  | { kind: 'edited'; text: string }
  | { kind: 'faulty'; result: string; faults: readonly ProposalFault[] };
type Upload = EditPage.EditFacts['upload'];

const logoPath = ['storefront', 'brand', 'logo'];

function unreadLogo(reason: string): ProposalFault {
  return { path: SourceLocation.format(logoPath), line: null, reason };
}

/** Applies the edits of a form to the text of the catalogue. */
function draftOf(
  form: Fields.CatalogueForm,
  text: string,
  groups: ReturnType<typeof Fields.groupsOf>,
  upload: Upload,
  said: URLSearchParams,
): Draft {
  const faulty = (result: string, faults: readonly ProposalFault[] = []): Draft => ({
    kind: 'faulty',
    result,
    faults,
  });
  const unread = form === 'prices' ? Fields.spreadPrices(groups, said) : [];
  if (unread.length > 0) return faulty(problem, unread.map(notAnAmount));
  const edits = withUpload(editsIn(form, text, groups, said), upload);
  const isUnread = upload !== null && 'fault' in upload;
  const taken = groups.map(({ id = '' }) => id);
  const addition = form === 'plans' ? additionOf(said, taken) : null;
  if (addition !== null && addition.item.name === undefined)
    return faulty(problem, [{ path: `plans[${groups.length}].name`, line: null, reason: 'Enter a name.' }]);
  if (edits.length === 0 && addition === null && !isUnread) return faulty('Nothing was changed in the form.');
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
function withUpload(edits: readonly Edit[], upload: Upload): Edit[] {
  if (upload === null || 'fault' in upload) return [...edits];
  const others = edits.filter((one) => SourceLocation.format(one.path) !== SourceLocation.format(logoPath));
  return [...others, { path: logoPath, value: upload.image }];
}

/** The image in base64 that a form uploads, or that was chosen in it before; empty without one. */
function imageIn(said: URLSearchParams): string {
  const before = said.get('drop') === 'true' ? '' : said.get('kept');
  return said.get('upload') || before || '';
}

/** Reads the image of the form of the branding; null without one. */
function uploadIn(said: URLSearchParams): Upload {
  const bytes = Buffer.from(imageIn(said), 'base64');
  if (bytes.length === 0) return null;
  const checked = Brand.checkUpload(bytes);
  return checked.ok ? { image: Brand.embedded(bytes) } : { fault: `The image ${checked.reason}.` };
}

function notAnAmount(path: string): ProposalFault {
  return { path, line: null, reason: 'Enter an amount in US dollars, such as 0.001.' };
}

function cannotEdit({ path }: Extract<EditResult, { kind: 'refused' }>): ProposalFault {
  const reason =
    'cannot be changed in this form, because the file writes it in a shared or unusual way. Edit the file.';
  return { path: SourceLocation.format(path), line: null, reason: `${SourceLocation.name(path)} ${reason}` };
}
