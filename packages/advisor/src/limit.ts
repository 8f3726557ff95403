import * as Money from '@sluice/kernel/money';
import type * as Choice from './choice.ts';
import type * as Estimate from './estimate.ts';
import type * as Goal from './goal.ts';
import * as Guide from './guide.ts';
import type * as Question from './question.ts';

/** Returns the given limits that an offer exceeds. */
export function breaches(
  rails: readonly string[],
  question: Question.Question,
  goal: Goal.Goal,
  steps: readonly Estimate.Step[],
  choice: Choice.Choice,
): string[] {
  const spoken = goal.mentions.flatMap((mention) =>
    mention.kind === 'quantity' && mention.quantity.kind === 'money' && mention.quantity.isBudget
      ? [mention.quantity]
      : [],
  )[0];
  const budget = question.budgetUsd ?? spoken?.usd ?? null;
  const exclusive = question.budgetUsd === null ? (spoken?.exclusive ?? false) : question.budgetExclusive;
  const highest = Money.ofMicro(steps.reduce((total, step) => total + step.cost.high, 0));
  const needed = choice.kind === 'trial' ? Money.zero : Money.ofMicro(Math.max(highest, choice.amount));
  const found: string[] = [];
  if (budget !== null && needed > 0) {
    const micro = Math.min(Math.round(budget * 1e6), Number.MAX_SAFE_INTEGER);
    if (exclusive ? needed >= micro : needed > micro)
      found.push(
        `The budget is ${exclusive ? 'below' : 'at most'} ${budget} USD, and ${Guide.usd(needed)} are needed: raise it, or ask for fewer results.`,
      );
  }
  if (choice.kind === 'trial') return found;
  if (question.payment !== null && !rails.includes(question.payment))
    found.push(`This shop is not paid by ${question.payment}: pay by ${rails.join(' or ')}.`);
  if (question.payment === 'card' && question.humanAvailable === false)
    found.push('The card page needs a person: pay by another way, or ask one.');
  return found;
}
