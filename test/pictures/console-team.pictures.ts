import { beforeAll, test } from 'vitest';
import { at, type Buyer, bought, front, invited, openSite } from './history.ts';
import type { Studio } from './studio.ts';
import type { Visitor } from './visitor.ts';

let site: Studio;
let buyer: Buyer;
beforeAll(async () => {
  site = await openSite();
  buyer = await bought(site, 'mary@somerville.example');
  await site.shop
    .sql`INSERT INTO shop.refund_request (purchase_id, amount, reason) VALUES (${buyer.order}, 4000000, 'I bought by mistake.')`;
  return () => site.close();
});

const people = {
  finance: ['finn@example.com', 'Finn Finance'],
  support: ['sue@example.com', 'Sue Support'],
  viewer: ['vera@example.com', 'Vera Viewer'],
} as const;
type Role = keyof typeof people;

/** Has an invited person create a passkey, at a device of their own. */
async function join(link: string, name: string): Promise<Visitor> {
  const person = await site.visitor('console-team');
  await person.device();
  await person.open(link);
  await person.press('Create passkey and sign in');
  await person.page.getByRole('link', { name: new RegExp(name) }).waitFor();
  return person;
}

test('an owner invites persons and changes their access', async () => {
  const seller = await site.seller('console-team');
  const ada = await join(await invited(seller, 'ada@lovelace.example', 'Ada Lovelace', 'owner'), 'Ada');
  await seller.leave();
  const wrong = { '#email': 'not an address', '#name': 'x'.repeat(300), '#invite-role': 'viewer' };
  await ada.submit(at('team'), wrong, 'Invite', 'invitation refused');
  await join(await invited(ada, ...people.finance, 'finance', 'invitation link shown once'), 'Finn');
  await invited(ada, ...people.support, 'support');
  await invited(ada, ...people.viewer, 'viewer');
  await invited(ada, 'late@example.com', '', 'viewer');
  await site.shop
    .sql`UPDATE shop.operator_invitation SET expires_at = now() - interval '1 day' WHERE operator_id = (SELECT id FROM shop.operator WHERE email = 'late@example.com')`;
  await ada.see(at('team'), 'persons with each kind of access');
  await ada.shot('change and remove a person', () => ada.unfold('Change Vera Viewer', 'Remove Vera Viewer'));
  await ada.fill({ 'Role of Vera Viewer': 'support' });
  await ada.shot('role changed', () => ada.press('Change role'));
  const inRow = (person: string, state: string, button: string | RegExp, role?: string) =>
    ada.shot(state, async () => {
      await ada.unfoldAll();
      if (role !== undefined) await ada.fill({ [`Role of ${person}`]: role });
      const row = ada.page.locator('tr', { hasText: person });
      await row.getByRole('button', { name: button }).first().click();
    });
  await inRow('Vera Viewer', 'new link for a member', 'New invitation link');
  await inRow('late@example.com', 'person removed', /^Remove/);
  await inRow('Ada Lovelace', 'last owner cannot be demoted', 'Change role', 'viewer');
  await ownPage(ada.in('console-me'));
  await ada.leave();
});

/** The page of a person's own passkeys and sessions. */
async function ownPage(ada: Visitor): Promise<void> {
  await ada.shot('one passkey, one session', () => ada.follow('Ada Lovelace (owner)'));
  const me = ada.page.url();
  await ada.press('Sign out');
  await ada.press('Sign in with a passkey');
  await ada.page.getByRole('button', { name: 'Sign out' }).waitFor();
  await site.shop
    .sql`INSERT INTO shop.operator_session (digest, operator_id, address, created_at, used_at, expires_at)
    SELECT repeat('ab', 32), id, '198.51.100.7', now() - interval '2 hours', now() - interval '1 hour', now() + interval '6 hours' FROM shop.operator WHERE role = 'owner'`;
  await ada.see(me, 'a second session');
  await ada.shot('other sessions ended', () => ada.press('Sign out all other sessions'));
  await ada.shot('the device has a passkey already', async () => {
    await ada.fill({ 'Name of this passkey': 'Phone' });
    await ada.press('Add passkey');
    await ada.text('This device already has a passkey');
  });
  await ada.shot('last passkey of the last owner', () => ada.follow(/^Remove/));
}

test('what each role sees, and what is refused to it', async () => {
  await site.shop.sql`DELETE FROM shop.operator`;
  const seller = await site.seller('console-sign-in');
  for (const role of Object.keys(people) as Role[]) {
    const [email, name] = people[role];
    const person = (await join(await invited(seller, email, name, role), name)).in(`console-as-${role}`);
    await person.visits({
      'an account': at(`accounts/${buyer.account}`),
      'a purchase with a refund request': at(`payments/${buyer.order}`),
      'editing the catalogue is refused': at('catalogue/plans'),
    });
    if (role === 'support') {
      await person.open(at(`accounts/${buyer.account}/freeze`));
      await site.shop.sql`UPDATE shop.operator SET role = 'viewer' WHERE email = ${email}`;
      const reason = { 'Reason, for the audit log': 'a stolen card' };
      const state = 'action is refused after a change of the role';
      await person.submit(null, reason, 'Freeze account', state);
    }
    if (role === 'viewer') {
      await person.see(front, 'overview');
      for (const section of ['accounts', 'payments', 'codes', 'events', 'catalogue', 'health', 'team'])
        await person.see(at(section), section);
      await person.see(at('audit'), 'audit log');
      await person.see(at('accounts.csv'), 'export is refused');
      await site.shop.sql`DELETE FROM shop.operator WHERE email = ${email}`;
      await person.see(front, 'signed out after being removed');
    }
    await person.leave();
  }
  await seller.page.route('**/console/sign-out', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'sec-fetch-site': 'cross-site' } }),
  );
  await seller.open(front);
  await seller.shot('form from another site is refused', () => seller.press('Sign out'));
});
