import { afterAll, beforeAll, test } from 'vitest';
import { at, type Buyer, bought, front, openSite, type Site, Visitor } from './history.ts';

let site: Site;
let buyer: Buyer;
beforeAll(async () => {
  site = await openSite();
  buyer = await bought(site, 'mary@somerville.example');
  await site.shop
    .sql`INSERT INTO shop.refund_request (purchase_id, amount, reason) VALUES (${buyer.order}, 4000000, 'I bought by mistake.')`;
});
afterAll(() => site?.close());

const people = {
  finance: ['finn@example.com', 'Finn Finance'],
  support: ['sue@example.com', 'Sue Support'],
  viewer: ['vera@example.com', 'Vera Viewer'],
} as const;
type Role = keyof typeof people;

/** Fills in the form for a person; the link is shown on the page after it. */
async function invite({ page }: Visitor, email: string, name: string, role: string): Promise<void> {
  await page.locator('#email').fill(email);
  await page.locator('#name').fill(name);
  await page.locator('#invite-role').selectOption(role);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
}

/** Has an invited person create a passkey, at a device of their own. */
async function join(link: string, name: string): Promise<Visitor> {
  const person = await Visitor.at(site);
  await person.device();
  await person.open(link);
  await person.press('Create passkey and sign in');
  await person.page.getByRole('link', { name: new RegExp(name) }).waitFor();
  return person;
}

const linkOf = async ({ page }: Visitor) => (await page.locator('pre.secret').textContent()) ?? '';

test('an owner invites persons and changes their access', async () => {
  const seller = await Visitor.at(site);
  await seller.signIn();
  await seller.open(at('team'));
  await invite(seller, 'ada@lovelace.example', 'Ada Lovelace', 'owner');
  const ada = await join(await linkOf(seller), 'Ada');
  await seller.leave();
  ada.group = 'console-team';
  await ada.open(at('team'));
  await ada.unchecked();
  await invite(ada, 'not an address', 'x'.repeat(300), 'viewer');
  await ada.shot('invitation refused');
  await ada.open(at('team'));
  await invite(ada, people.finance[0], people.finance[1], 'finance');
  await ada.shot('invitation link shown once');
  const finn = await join(await linkOf(ada), 'Finn');
  for (const role of ['support', 'viewer'] as const) {
    await ada.open(at('team'));
    await invite(ada, people[role][0], people[role][1], role);
  }
  await invite(ada, 'late@example.com', '', 'viewer');
  await site.shop
    .sql`UPDATE shop.operator_invitation SET expires_at = now() - interval '1 day' WHERE operator_id = (SELECT id FROM shop.operator WHERE email = 'late@example.com')`;
  await ada.see(at('team'), 'persons with each kind of access');
  await ada.unfold('Change Vera Viewer', 'Remove Vera Viewer');
  await ada.shot('change and remove a person');
  await ada.page.getByLabel('Role of Vera Viewer').selectOption('support');
  await ada.press('Change role');
  await ada.shot('role changed');
  await ada.page.locator('tr', { hasText: 'Vera' }).locator('summary', { hasText: 'Change' }).first().click();
  await ada.page
    .locator('tr', { hasText: 'Vera' })
    .getByRole('button', { name: 'New invitation link' })
    .click();
  await ada.shot('new link for a member');
  const row = ada.page.locator('tr', { hasText: 'late@example.com' });
  await row.locator('summary', { hasText: 'Change' }).first().click();
  await row.locator('summary', { hasText: 'Remove' }).click();
  await row.getByRole('button', { name: /^Remove/ }).click();
  await ada.shot('person removed');
  const own = ada.page.locator('tr', { hasText: 'Ada' });
  await own.locator('summary', { hasText: 'Change' }).first().click();
  await own.getByLabel('Role of Ada Lovelace').selectOption('viewer');
  await own.getByRole('button', { name: 'Change role' }).click();
  await ada.shot('last owner cannot be demoted');
  await finn.leave();
  await ownPage(ada);
  await ada.leave();
});

/** The page of a person's own passkeys and sessions. */
async function ownPage(ada: Visitor): Promise<void> {
  ada.group = 'console-me';
  await ada.follow('Ada Lovelace (owner)');
  await ada.shot('one passkey, one session');
  const me = ada.page.url();
  await ada.press('Sign out');
  await ada.press('Sign in with a passkey');
  await ada.page.getByRole('button', { name: 'Sign out' }).waitFor();
  await site.shop
    .sql`INSERT INTO shop.operator_session (digest, operator_id, address, created_at, used_at, expires_at)
    SELECT repeat('ab', 32), id, '198.51.100.7', now() - interval '2 hours', now() - interval '1 hour', now() + interval '6 hours' FROM shop.operator WHERE role = 'owner'`;
  await ada.see(me, 'a second session');
  await ada.press('Sign out all other sessions');
  await ada.shot('other sessions ended');
  await ada.fill({ 'Name of this passkey': 'Phone' });
  await ada.press('Add passkey');
  await ada.page
    .getByRole('alert')
    .or(ada.page.getByRole('status'))
    .filter({ visible: true })
    .first()
    .waitFor();
  await ada.shot('the device has a passkey already');
  await ada.page
    .getByRole('link', { name: /^Remove/ })
    .first()
    .click();
  await ada.shot('last passkey of the last owner');
}

test('what each role sees, and what is refused to it', async () => {
  await site.shop.sql`DELETE FROM shop.operator`;
  const seller = await Visitor.at(site);
  await seller.signIn();
  for (const role of Object.keys(people) as Role[]) {
    const [email, name] = people[role];
    await seller.open(at('team'));
    await invite(seller, email, name, role);
    const person = await join(await linkOf(seller), name);
    person.group = `console-as-${role}`;
    const pages: [string, string][] = [
      [at(`accounts/${buyer.account}`), 'an account'],
      [at(`payments/${buyer.order}`), 'a purchase with a refund request'],
      [at('catalogue/plans'), 'editing the catalogue is refused'],
    ];
    if (role === 'viewer')
      pages.push(
        ...([
          [front, 'overview'],
          [at('accounts'), 'accounts'],
          [at('payments'), 'payments'],
          [at('codes'), 'codes'],
          [at('events'), 'events'],
          [at('catalogue'), 'catalogue'],
          [at('health'), 'health'],
          [at('audit'), 'audit log'],
          [at('team'), 'team'],
          [at('accounts.csv'), 'export is refused'],
        ] as [string, string][]),
      );
    for (const [path, state] of pages) await person.see(path, state);
    if (role === 'support') {
      await person.open(at(`accounts/${buyer.account}/freeze`));
      await site.shop.sql`UPDATE shop.operator SET role = 'viewer' WHERE email = ${email}`;
      await person.fill({ 'Reason, for the audit log': 'a stolen card' });
      await person.press('Freeze account');
      await person.shot('action is refused after a change of the role');
    }
    if (role === 'viewer') {
      await site.shop.sql`DELETE FROM shop.operator WHERE email = ${email}`;
      await person.see(front, 'signed out after being removed');
    }
    await person.leave();
  }
  seller.group = 'console-sign-in';
  await seller.page.route('**/console/sign-out', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'sec-fetch-site': 'cross-site' } }),
  );
  await seller.open(front);
  await seller.press('Sign out');
  await seller.shot('form from another site is refused');
  await seller.leave();
});
