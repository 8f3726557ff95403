import type { Advised, Step } from './advice.ts';
import type * as Choice from './choice.ts';
import * as Guide from './guide.ts';
import type { PriceList } from './price-list.ts';
import type * as Question from './question.ts';

/** The way from an empty hand to the last result: register, buy, call, and look at what came where the caller wants to. */
export function toSteps(
  { prices, rails }: { prices: PriceList; rails: readonly string[] },
  question: Question.Question,
  operations: readonly Advised[],
  choice: Choice.Choice,
): Step[] {
  const { register } = prices;
  const steps: Step[] = [
    {
      do: 'register',
      note: 'Free, and once. The answer has the `access_token` that the other steps send.',
      request: register,
      gives: { access_token: '/access_token' },
    },
  ];
  if (choice.kind !== 'trial') {
    const ways =
      question.payment === null
        ? rails.filter((rail) => rail !== 'card' || question.humanAvailable !== false)
        : [question.payment];
    const times = choice.purchases > 1 ? ` Buy it ${choice.purchases} times.` : '';
    const request = {
      ...choice.how,
      headers: { ...choice.how.headers, authorization: 'Bearer {access_token}' },
    };
    steps.push({
      do: 'buy',
      note: `Costs ${Guide.usd(choice.amount)}. The first answer is a 402 that charges nothing and says how to pay, by ${ways.join(' or ')}.${times}`,
      request,
    });
  }
  let calls = 0;
  for (const [at, { calls: own, pages, takes, request }] of operations.entries()) {
    const review = question.reviewAfterCalls;
    if (review !== null && calls < review && calls + own > review)
      steps.push({
        do: 'review',
        note: `After ${review} calls, check the results before you continue.`,
        request: null,
      });
    calls += own;
    const puts = takes.map(({ field, from }) =>
      from === null ? `\`${field}\`` : `\`${field}\` from \`${from.pointer}\` of operation ${from.operation}`,
    );
    const put = puts.length === 0 ? '' : ` Put in ${[...new Set(puts)].join(', ')}.`;
    const paging =
      pages === 1
        ? ''
        : ` One question takes up to ${pages} pages: ask for each as the answer before it says.`;
    steps.push({
      do: 'call',
      operation: at + 1,
      note: `Operation ${at + 1}: ${own === 1 ? 'one call' : `up to ${own} calls`}.${paging}${put}`,
      request,
    });
  }
  return steps;
}
