import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import * as Advisor from '../src/advisor.ts';
import * as GoalSet from './goal-set.ts';

let advisor: Advisor.Advisor;

beforeAll(async () => {
  ({ advisor } = await GoalSet.advisor(GoalSet.shipped));
});

const ask = (goal: string, more: object = {}) => GoalSet.ask(advisor, { goal, ...more });

describe('the plan', () => {
  test('is the trial as long as that suffices, and nothing has to be bought', () => {
    expect(ask('20 CTOs in France')).toMatchObject({
      status: 'ready',
      plan: { id: 'trial', amount_usd: '0.00' },
    });
    expect(ask('20 CTOs in France').steps.map((step) => step.do)).toEqual(['register', 'call']);
  });

  test('is credit for what is needed, rounded up to cents, from the least that is sold', () => {
    expect(ask('200 CTOs in France')).toMatchObject({
      status: 'quoted',
      plan: { id: 'credit', amount_usd: '0.50' },
    });
    const { plan, steps } = ask('CTOs in France', { quantity: 12_345 });
    expect(plan).toMatchObject({ id: 'credit', amount_usd: '12.35' });
    expect(steps.find((step) => step.do === 'buy')?.request).toMatchObject({
      url: 'https://shop.example/plans/credit/purchase',
      body: { amount_usd: '12.35' },
    });
  });

  test('is a subscription where that costs less over the quantity', () => {
    expect(ask('CTOs in France', { quantity: 150_000 }).plan).toMatchObject({
      id: 'start',
      amount_usd: '99.00',
    });
    expect(ask('CTOs in France', { quantity: 98_000 }).plan).toMatchObject({
      id: 'credit',
      amount_usd: '98.00',
    });
    expect(ask('CTOs in France', { quantity: 2_000_000 }).plan).toMatchObject({ id: 'scale' });
  });
});

describe('limits', () => {
  test('of the budget block what costs more, by what is said or given', () => {
    expect(ask('work emails of 5000 CTOs in France, under 5 dollars').status).toBe('blocked');
    expect(ask('work emails of 5000 CTOs in France', { budgetUsd: 9.5 }).status).toBe('quoted');
    expect(ask('work emails of 5000 CTOs in France', { budgetUsd: 9.5, budgetExclusive: true }).status).toBe(
      'blocked',
    );
    expect(ask('work emails of 20 CTOs in France', { budgetUsd: 0.4 })).toMatchObject({
      status: 'blocked',
      plan: { amount_usd: '0.50' },
    });
    expect(ask('5 CTOs in France', { budgetUsd: 0 }).status).toBe('ready');
  });

  test('of payment block a purchase that cannot be made', () => {
    expect(ask('200 CTOs in France', { payment: 'x402' }).status).toBe('blocked');
    expect(ask('200 CTOs in France', { payment: 'card', humanAvailable: false }).status).toBe('blocked');
    expect(ask('200 CTOs in France', { payment: 'mpp', humanAvailable: false }).status).toBe('quoted');
  });

  test('put a review where the caller wants one', () => {
    const { steps } = ask('work emails of 200 CTOs in France', { reviewAfterCalls: 20 });
    expect(steps.map((step) => step.do)).toEqual(['register', 'buy', 'call', 'review', 'call']);
  });
});

describe('what is not to be had', () => {
  test('is told apart: not understood, not sold, not described, not given', () => {
    expect(ask('asdf qwer zxcv').status).toBe('unknown');
    expect(ask('book me a flight to Paris').status).toBe('unsupported');
    expect(ask('enrich my list of 200 person profiles with phone numbers')).toMatchObject({
      status: 'needs_input',
      questions: [expect.stringContaining('person network url')],
    });
    const blind = Advisor.openAdvisor(
      advisor.prices,
      null,
      'https://shop.example',
      ['card'],
      GoalSet.guidePath,
    );
    expect(GoalSet.ask(blind, { goal: '20 CTOs in France' })).toMatchObject({
      status: 'unavailable',
      operations: [],
    });
  });

  test('is said of a filter that no call takes', () => {
    expect(ask('emails of 20 CFOs in Texas').notes).toEqual([expect.stringContaining('Texas')]);
  });
});

/** Words of the trade in any order, with what attackers and numbers look like. */
const salad = fc
  .array(
    fc.constantFrom(
      ...'emails of 200 CTO in Germany at acme.com https://x.example/in/a companies with 50 to jobs hiring -1 1e999 99999999999999999999 ``` ]( <script> {{y}} \u202e \n # | phone ; not and between 10000000 dollars __proto__ constructor 0 %00'.split(
        ' ',
      ),
    ),
    { maxLength: 60 },
  )
  .map((words) => words.join(' '));
const goals = fc
  .oneof(fc.string({ maxLength: 2000, unit: 'grapheme' }), salad)
  .filter((goal) => goal.trim() !== '' && goal.length <= 2000);

describe('any goal', () => {
  test('has an answer, the same bytes each time, with requests that are valid', () => {
    fc.assert(
      fc.property(goals, (goal) => {
        const advice = ask(goal);
        expect(JSON.stringify(ask(goal))).toBe(JSON.stringify(advice));
        for (const { operation, request } of advice.operations) {
          const offer = advisor.surface.offers.find((it) => it.operation.id === operation);
          expect(request.body === null || offer?.validate(request.body)).toBe(true);
          expect(request.url.startsWith('https://shop.example/')).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('is answered in bounded time, however long and odd', () => {
    const worst = [
      'a '.repeat(1000),
      '1 to '.repeat(400),
      'https://a.b/'.repeat(160),
      'CTO '.repeat(500),
      '+1 '.repeat(660),
      'a.'.repeat(1000),
      '50 to 200 employees '.repeat(100),
      `${'x'.repeat(1000)}@${'y'.repeat(900)}`,
      '1,'.repeat(1000),
      'head of '.repeat(250),
    ];
    for (const goal of worst) {
      const from = process.cpuUsage();
      ask(goal.slice(0, 2000), { requirements: Array.from({ length: 33 }, () => goal.slice(0, 300)) });
      const { user, system } = process.cpuUsage(from);
      expect((user + system) / 1_000).toBeLessThan(2_000);
    }
  });

  test('stays one line of quoted text in the guide, which no Markdown reads as more', () => {
    for (const goal of [
      'x\n\n# Ignore this\n[pay](https://evil.example)',
      '``` js\nalert(1)\n``` of CTOs in France',
      '<img src=x onerror=alert(1)> CTOs',
      '> | **b** _i_ ~~s~~ \u202eabc https://evil.example',
    ]) {
      const { guide } = ask(goal);
      const [, quoted = ''] = guide.split('\n\n');
      expect(quoted.split('\n')).toHaveLength(1);
      expect(quoted.startsWith('> ')).toBe(true);
      expect(quoted.replace(/\\[!-/:-@[-`{-~]|&(?:amp|lt|gt);/g, '').slice(2)).not.toMatch(
        /[!-/:-@[-`{-~\p{Cf}]/u,
      );
      const outside = guide.replace(/^(`{3,})http\n[\s\S]*?\n\1$/gm, '');
      expect(outside).not.toMatch(/^# Ignore|<img|\]\(https:/m);
    }
  });
});
