import { expect, test } from 'vitest';
import { endedAccess, type TeamFacts, team } from '../../src/http/console/pages/team.ts';
import type { ListedOperator } from '../../src/identity/operators/operator.ts';

const personOf = (facts: Partial<ListedOperator> = {}): ListedOperator => ({
  ...{ id: 'opr_1', email: 'ada@example.com', name: 'Ada', role: 'viewer', createdMs: 0, passkeys: 1 },
  ...{ hasOidc: false, seenMs: 1, invitedUntilMs: null },
  ...facts,
});
const shown = (people: readonly ListedOperator[], facts: Partial<TeamFacts> = {}) =>
  String(
    team({
      ...{ people, canChange: true, me: null, sendsMail: true, nowMs: 0, result: null },
      ...{ link: null, draft: null },
      ...facts,
    }),
  );

test('the question before a removal names what the person has', () => {
  const sessions = 'Their passkeys and sessions end at once.';
  const link = 'Their invitation link stops working.';
  const said = (person: Partial<ListedOperator>) => {
    const page = shown([personOf(person)]);
    return [page.includes(sessions), page.includes(link)];
  };
  expect(said({})).toEqual([true, false]);
  const invited = { passkeys: 0, seenMs: null };
  expect(said({ ...invited, invitedUntilMs: 9 })).toEqual([false, true]);
  expect(said(invited)).toEqual([false, false]);
  expect(said({ invitedUntilMs: 9 })).toEqual([true, true]);
  expect(said({ passkeys: 0, hasOidc: true })).toEqual([true, false]);
  const ended = endedAccess(personOf({ ...invited, invitedUntilMs: 9 }), true);
  expect(ended).toBe('Their invitation link no longer works.');
});

test('the invitation form proposes the role owner while the shop has no owner', () => {
  const proposed = (html: string) => {
    const form = html.slice(html.indexOf('id="invite-role"'));
    return /value="(\w+)" selected/.exec(form)?.[1];
  };
  expect(proposed(shown([]))).toBe('owner');
  expect(proposed(shown([personOf({ role: 'viewer' })]))).toBe('owner');
  expect(proposed(shown([personOf({ role: 'owner' })]))).toBe('viewer');
  const draft = { email: 'x', name: '', role: 'support', faults: {} };
  expect(proposed(shown([], { draft }))).toBe('support');
});
