import * as Advisor from '../src/advisor.ts';
import * as GoalSet from '../test/goal-set.ts';

// node packages/advisor/train/held-out.ts
// Prints how well the bundled catalogue's goals are answered that were left out of training: the measure for `odds` of chain.ts and `sure` of advisor.ts.

const heldPercent = 15;

/** A number from 0 to 99 that depends on the text alone. */
function lot(text: string): number {
  let state = 7;
  for (const letter of text) state = (Math.imul(state, 31) + letter.charCodeAt(0)) >>> 0;
  return (state >>> 8) % 100;
}

const { advisor, document } = await GoalSet.advisor(GoalSet.shipped);
const samples = advisor.prices.samples ?? [];
const held = samples.filter(({ ask }) => lot(ask) < heldPercent);
const prices = { ...advisor.prices, samples: samples.filter((sample) => !held.includes(sample)) };
const partial = Advisor.openAdvisor(prices, document, advisor.baseUrl, advisor.rails, advisor.path);
const groups = new Map<string, { goals: number; right: number; confident: number; wrong: number }>();
for (const { ask, calls, kind } of held) {
  const advice = GoalSet.ask(partial, { goal: ask });
  const status = kind === 'outside' ? 'unsupported' : kind === 'vague' ? 'needs_input' : undefined;
  const wanted = {
    goal: ask,
    first: calls.slice(0, 1),
    chains: calls.length === 0 ? [] : [calls.map((call) => [call])],
  };
  const { chain, confident } = GoalSet.judge({ ...wanted, voice: '', ...(status && { status }) }, advice);
  for (const group of ['all', calls.length > 1 ? 'several calls' : calls.length === 1 ? 'one call' : kind]) {
    const own = groups.get(group) ?? { goals: 0, right: 0, confident: 0, wrong: 0 };
    groups.set(group, own);
    own.goals += 1;
    own.right += Number(chain);
    own.confident += Number(confident);
    own.wrong += Number(confident && !chain);
  }
}
for (const [group, { goals, right, confident, wrong }] of groups) {
  const percent = (part: number, of: number) => `${((part / Math.max(1, of)) * 100).toFixed(1)} %`;
  process.stdout.write(
    `${group.padEnd(14)} ${goals} goals, chain ${percent(right, goals)}, confident ${percent(confident, goals)}, of these wrong ${percent(wrong, confident)}\n`,
  );
}
