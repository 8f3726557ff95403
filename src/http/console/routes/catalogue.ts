import type { Publication } from '../../../catalog/catalogs.ts';
import { trialOf } from '../../../catalog/plan.ts';
import { planFacts } from '../../../catalog/plan-facts.ts';
import { can, type Role } from '../../../identity/operators/role.ts';
import type { Reload, ReloadResult } from '../../../journeys/reload.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import * as Page from '../pages/catalogue.ts';
import { momentText } from '../pages/figures.ts';
import type { ConsoleResponse } from '../response.ts';
import { addCatalogueForms } from './catalogue-edit.ts';
import { addCatalogueFile } from './catalogue-file.ts';
import { addPublications } from './catalogue-publish.ts';

const path = '/admin/console/catalogue';
const historyShownMax = 50;

/** Previews the changes in the catalogue files, publishes them, and edits the catalogue. */
export function addCatalogueSection(console: Console, reload: Reload): void {
  const page = async (role: Role, outcome: FormResult, published?: string): Promise<ConsoleResponse> => {
    const [preview, history, { digest: base }] = await Promise.all([
      reload.preview(),
      reload.editor.history(historyShownMax),
      reload.editor.file().catch(() => ({ digest: '' })),
    ]);
    const result = outcome ?? publishedLine(history[0], published);
    // The catalogue in force now: the request that publishes began with the former one.
    const { plans, services } = reload.catalog;
    const plan = trialOf(plans);
    const trial = plan && planFacts(plan);
    const facts = { preview, history, trial, plans, services, base, result };
    const main = Page.catalogue({ ...facts, canPublish: can(role, 'publish') });
    return { title: 'Catalogue', status: result?.isBad ? 409 : 200, main };
  };
  console.addSection('Catalogue', path, (c, { role }) => page(role, null, c.req.query('published')));
  console.addAction(path, async (_, form, { who, role }) =>
    page(role, inWords(await reload.take(who, form.get('digest') ?? ''))),
  );
  const shown = {
    plan: (id: string) => [...reload.catalog.plans, ...reload.catalog.retired].find((one) => one.id === id),
    service: (slug: string) => reload.catalog.services.find((one) => one.slug === slug),
  };
  addCatalogueForms(console, reload.editor, shown);
  addCatalogueFile(console, reload.editor);
  addPublications(console, reload.editor, page);
}

/** The outcome of the last publication, for the page that its form leads to. An older one says nothing about the catalogue in force. */
function publishedLine(
  last: Pick<Publication, 'id' | 'atMs'> | undefined,
  id: string | undefined,
): FormResult {
  if (last === undefined || String(last.id) !== id) return null;
  const text = `Published on ${momentText(last.atMs)}. Buyers see it now.`;
  return { text, isBad: false };
}

function inWords(taken: ReloadResult): FormResult {
  switch (taken.kind) {
    case 'taken':
      return { text: 'Published. Buyers see it now.', isBad: false };
    case 'unchanged':
      return {
        text: 'This catalogue is already in force. Nothing has changed.',
        isBad: false,
      };
    case 'another':
      return {
        text: 'The files have changed since this page was loaded. Nothing was published. Review the changes again.',
        isBad: true,
      };
    case 'faulty':
    case 'refused':
      return {
        text: 'These changes cannot be published. Nothing has changed. Fix the problems below.',
        isBad: true,
      };
  }
}
