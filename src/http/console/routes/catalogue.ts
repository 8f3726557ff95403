import type { Reload, ReloadResult } from '../../../journeys/reload.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import * as Page from '../pages/catalogue.ts';
import type { ConsoleResponse } from '../response.ts';

const path = '/admin/console/catalogue';

/** Previews the changes in the catalogue files and publishes them. */
export function addCatalogueSection(console: Console, reload: Reload): void {
  const page = async (result: FormResult): Promise<ConsoleResponse> => {
    const main = Page.catalogue(await reload.preview(), result, path);
    return { title: 'Catalogue', status: result?.isBad ? 409 : 200, main };
  };
  console.addSection('Catalogue', path, () => page(null));
  console.addAction(path, async (_, form, { who }) =>
    page(inWords(await reload.take(who, form.get('digest') ?? ''))),
  );
}

function inWords(taken: ReloadResult): FormResult {
  switch (taken.kind) {
    case 'taken':
      return { text: 'Published. Every process now uses this catalogue.', isBad: false };
    case 'unchanged':
      return {
        text: 'This process already uses this catalogue; the other processes have been notified.',
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
