import { beforeAll, test } from 'vitest';
import { keyOf, Studio, sections } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
  return () => studio.close();
});

test('a team', async () => {
  const [ada, bob, cid] = ['ada@team.example', 'bob@team.example', 'cid@team.example'] as const;
  const owner = await studio.account('Team', ada);
  const invite = async (email: string, role: string) => {
    await owner.open(sections.Team);
    await owner.unchecked();
    await owner.fill({ 'Email address': email, Role: role });
    await owner.press('Send invitation');
  };
  await owner.shot('invitation refused', () => invite('nope', 'Viewer'));
  await owner.shot('invitation sent', () => invite(bob, 'Developer'));
  await invite(cid, 'Viewer');
  const linkOf = (email: string) => studio.mailed(email, /^http\S+\/shop\/invitation\?token=\S+$/m);
  const guest = await studio.visitor('Invitation');
  const address = guest.page.getByRole('main').getByRole('textbox').first();
  const asks = (email: string, state: string) =>
    guest.shot(state, async () => {
      await guest.open(await linkOf(bob));
      await address.fill(email);
      await guest.press('Send me the link');
    });
  await guest.see(await linkOf(bob), 'stranger');
  await asks('other@example.com', 'wrong address');
  await asks(bob, 'link sent');
  await guest.leave();
  const member = await studio.account('Invitation', bob);
  await member.see(await linkOf(bob), 'signed in');
  await member.shot('joined', () => member.press('Join the account'));
  await member.in('Team').see(sections.Team, 'as a developer');
  await member.in('Settings').see(sections.Settings, 'as a developer');
  await member.in('Billing').see(sections.Billing, 'denied to a developer');
  await member.in('Keys').see(sections.Keys, 'as a developer');
  await member.see(await linkOf(bob), 'joined already');
  await keyOf(member, 'of the developer');
  const viewer = await studio.account('Invitation', cid);
  await viewer.open(await linkOf(cid));
  await viewer.shot('question before declining', () => viewer.page.getByText('Decline').first().click());
  await viewer.shot('declined', () => viewer.press(/decline/i));
  const role = { [`Role of ${bob}`]: 'Billing' };
  await owner.submit(sections.Team, role, `Change the role of ${bob}`, 'role changed');
  await owner.shot('all open', () => owner.unfoldAll());
  await owner.in('Keys').see(sections.Keys, 'key of a developer paused');
  await member.in('Billing').see(sections.Billing, 'as a member for billing');
  await member.in('Team').see('/shop/account/team/leave', 'question before leaving');
  await owner.open(sections.Team);
  await owner.unfoldAll();
  await owner.shot('question before a transfer', () =>
    owner.page.locator('form[action="/shop/account/team/transfer"] button').click(),
  );
  await owner.see('/shop/account/team/tokens', 'question before tokens end');
  await owner.submit(sections.Team, {}, `Remove ${bob}`, 'question before a removal');
  await owner.shot('person removed', () => owner.press(`Remove ${bob}`));
  await member.in('Overview').see(sections.Overview, 'after a removal');
});
