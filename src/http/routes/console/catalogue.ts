import type { Reload, Taken } from '../../../journeys/reload.ts';
import type { Console, Shown } from '../../console.ts';
import type { Notice } from '../../pages/console/account.ts';
import * as Page from '../../pages/console/catalogue.ts';

const path = '/admin/console/catalogue';

/** What the files say now, beside what runs: who it is for, and the button that takes it. */
export function add(console: Console, reload: Reload): void {
  const page = async (notice: Notice): Promise<Shown> => {
    const main = Page.catalogue(await reload.preview(), notice, path);
    return { title: 'Catalogue', status: notice?.isBad ? 409 : 200, main };
  };
  console.room('Catalogue', path, () => page(null));
  console.form(path, async (_, form, who) => page(inWords(await reload.take(who, form.get('digest') ?? ''))));
}

function inWords(taken: Taken): Notice {
  switch (taken.kind) {
    case 'taken':
      return { text: 'Taken. Every process sells by it from now on.', isBad: false };
    case 'unchanged':
      return { text: 'This process sells by it already; the others have been told.', isBad: false };
    case 'another':
      return { text: 'The files have changed since you looked. Nothing was taken: look again.', isBad: true };
    case 'faulty':
    case 'refused':
      return { text: 'This cannot be taken as it is. Nothing has changed.', isBad: true };
  }
}
