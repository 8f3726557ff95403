import { setTimeout } from 'node:timers/promises';
import { sha256Hex } from '@sluice/kernel/digest';
import { can, type Role } from '../../../identity/operators/role.ts';
import type { CatalogEditor, ProposalFault, PublishResult } from '../../../journeys/catalog-editing.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import { cataloguePath } from '../pages/catalogue-edit.ts';
import * as ReviewPage from '../pages/catalogue-review.ts';
import * as LoginPage from '../pages/login-page.ts';
import type { ConsoleResponse } from '../response.ts';
import { redirect } from '../sign-in.ts';
import { filePage, problem, staleFile, withLineEnds } from './catalogue-file.ts';

const noteCharsMax = 200;
/** A form that is sent twice waits so long for the publication of the first one. */
const repeatedMsMax = 3_000;
const repeatedStepMs = 100;

/** Returns the page of the catalogue with the outcome of a form. */
type Front = (role: Role, result: FormResult) => Promise<ConsoleResponse>;

/** Publishes a reviewed text, and shows past publications. `front` shows the catalogue with the outcome of a form. */
export function addPublications(console: Console, editor: CatalogEditor, front: Front): void {
  console.addAction('/admin/console/catalogue/publish', async (_, form, person) => {
    const state = await editor.file();
    const text = withLineEnds(form.get('text') ?? '', state.text);
    if (form.get('act') === 'download') return download(state.name, text);
    const note = (form.get('note') ?? '').trim().slice(0, noteCharsMax);
    const base = form.get('base') ?? '';
    const published = await editor.publish({ text, base, note }, person.who);
    if (published.kind === 'published' || published.kind === 'stale') {
      // A redirect, so that a reload of the result does not send the form again.
      const done = await publicationOf(editor, text, base);
      if (done !== null) return redirect(`${cataloguePath}?published=${done}`);
      if (published.kind === 'stale') return staleFile(editor, text, base);
      return front(person.role, { text: 'Published. Buyers see it now.', isBad: false });
    }
    const { faults, result } = refusal(published);
    return filePage(await editor.file(), text, faults, result);
  });
  // A reload after the session ended, or the address typed by hand.
  console.addPage('/admin/console/catalogue/publish', async () => redirect(cataloguePath));
  console.addPage('/admin/console/catalogue/history/:id', async (c, { role }) => {
    const id = /^\d{1,15}$/.exec(c.req.param('id') ?? '')?.[0];
    const found = id === undefined ? null : await editor.publication(Number(id));
    if (found === null) {
      const text = 'There is no publication with this number.';
      const to = { path: `${cataloguePath}#history`, name: 'All publications' };
      const main = LoginPage.problem('Publication not found', text, to);
      return { status: 404, title: 'Publication not found', main };
    }
    const main = ReviewPage.publication(found, await editor.file(), can(role, 'publish'));
    return { title: 'Publication', main };
  });
}

/**
 * Returns the publication that replaced the text `base` by `text`, if it is the last one: a form that is sent again has already been published. Waits
 * while the first one is under way.
 */
async function publicationOf(editor: CatalogEditor, text: string, base: string): Promise<number | null> {
  for (let waitedMs = 0; ; waitedMs += repeatedStepMs) {
    const [last, file] = await Promise.all([editor.last(), editor.file()]);
    if (last !== null && last.text === text && sha256Hex(last.textBefore) === base) return last.id;
    const mayBeUnderWay = file.digest === base || file.text === text;
    if (!mayBeUnderWay || waitedMs >= repeatedMsMax) return null;
    await setTimeout(repeatedStepMs);
  }
}

function refusal(published: Exclude<PublishResult, { kind: 'published' | 'stale' }>): {
  faults: readonly ProposalFault[];
  result: FormResult;
} {
  const bad = (text: string) => ({ text, isBad: true });
  switch (published.kind) {
    case 'read_only':
      return {
        faults: [],
        result: bad(
          'The shop cannot write the file here. Nothing was published. Review again and download the file.',
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

function download(name: string, text: string): Response {
  const headers = {
    'content-type': 'application/yaml; charset=utf-8',
    'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return new Response(text, { headers });
}
