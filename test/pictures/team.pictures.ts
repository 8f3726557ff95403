import { afterAll, beforeAll, test } from 'vitest';
import { press, Studio, sections, uncheck, unfold } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio?.close());

test('a team', async () => {
  const [ada, bob, cid] = ['ada@team.example', 'bob@team.example', 'cid@team.example'] as const;
  const owner = await studio.account(ada);
  const invite = async (email: string, role: string) => {
    await studio.go(owner, sections.Team);
    await owner.getByLabel('Email address').fill(email);
    await owner.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
    await press(owner, 'Send invitation');
  };
  await studio.shot(owner, 'Team', 'invitation refused', async () => {
    await studio.go(owner, sections.Team);
    await uncheck(owner);
    await owner.getByLabel('Email address').fill('nope');
    await press(owner, 'Send invitation');
  });
  await studio.shot(owner, 'Team', 'invitation sent', () => invite(bob, 'Developer'));
  await invite(cid, 'Viewer');
  const linkOf = (email: string) => studio.mailed(email, /^http\S+\/shop\/invitation\?token=\S+$/m);
  const guest = await studio.visitor();
  await studio.shot(guest, 'Invitation', 'stranger', async () => guest.goto(await linkOf(bob)));
  await studio.shot(guest, 'Invitation', 'wrong address', async () => {
    await guest.getByRole('main').getByRole('textbox').first().fill('other@example.com');
    await press(guest, 'Send me the link');
  });
  await studio.shot(guest, 'Invitation', 'link sent', async () => {
    await guest.goto(await linkOf(bob));
    await guest.getByRole('main').getByRole('textbox').first().fill(bob);
    await press(guest, 'Send me the link');
  });
  await guest.context().close();
  const member = await studio.account(bob);
  await studio.shot(member, 'Invitation', 'signed in', async () => member.goto(await linkOf(bob)));
  await studio.shot(member, 'Invitation', 'joined', () => press(member, 'Join the account'));
  await studio.shot(member, 'Team', 'as a developer', () => studio.go(member, sections.Team));
  await studio.shot(member, 'Billing', 'denied to a developer', () => studio.go(member, sections.Billing));
  await studio.visits(member, 'Keys', { 'as a developer': sections.Keys });
  await studio.shot(member, 'Invitation', 'joined already', async () => member.goto(await linkOf(bob)));
  await studio.key(member, 'of the developer');
  const viewer = await studio.account(cid);
  await studio.shot(viewer, 'Invitation', 'question before declining', async () => {
    await viewer.goto(await linkOf(cid));
    await viewer.getByText('Decline', { exact: false }).first().click();
  });
  await studio.shot(viewer, 'Invitation', 'declined', async () => {
    await viewer
      .getByRole('main')
      .getByRole('button', { name: /decline/i })
      .first()
      .click();
  });
  await studio.shot(owner, 'Team', 'role changed', async () => {
    await studio.go(owner, sections.Team);
    await owner.getByLabel(`Role of ${bob}`, { exact: true }).selectOption('Billing');
    await press(owner, `Change the role of ${bob}`);
  });
  await studio.shot(owner, 'Team', 'all open', () => unfold(owner));
  await studio.visits(owner, 'Keys', { 'key of a developer paused': sections.Keys });
  await studio.shot(member, 'Billing', 'as a member for billing', () => studio.go(member, sections.Billing));
  await studio.shot(member, 'Team', 'question before leaving', () =>
    studio.go(member, '/shop/account/team/leave'),
  );
  await studio.shot(owner, 'Team', 'question before a transfer', async () => {
    await studio.go(owner, sections.Team);
    await unfold(owner);
    await owner.locator('form[action="/shop/account/team/transfer"] button').click();
  });
  await studio.shot(owner, 'Team', 'question before tokens end', () =>
    studio.go(owner, '/shop/account/team/tokens'),
  );
  await studio.shot(owner, 'Team', 'question before a removal', async () => {
    await studio.go(owner, sections.Team);
    await press(owner, `Remove ${bob}`);
  });
  await studio.shot(owner, 'Team', 'person removed', () => press(owner, `Remove ${bob}`));
  await studio.shot(member, 'Overview', 'after a removal', () => studio.go(member, '/shop/account'));
  studio.expectAll();
});
