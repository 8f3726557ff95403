import * as Money from '@sluice/kernel/money';
import type { Advice, Advised, Status } from './advice.ts';
import { cost } from './advice.ts';
import * as Chain from './chain.ts';
import * as Choice from './choice.ts';
import * as Estimate from './estimate.ts';
import * as Goal from './goal.ts';
import * as Guide from './guide.ts';
import * as Limit from './limit.ts';
import * as Metered from './metered.ts';
import type { PriceList } from './price-list.ts';
import * as Question from './question.ts';
import * as Request from './request.ts';
import * as Steps from './steps.ts';
import * as Surface from './surface.ts';

/** The advisor of one price list, made once; it holds nothing of those who ask. */
export type Advisor = {
  prices: PriceList;
  surface: Surface.Surface;
  baseUrl: string;
  rails: readonly string[];
  path: string;
};

type Plain = Omit<Advice, 'guide' | 'guideUrl'>;
const nothing = cost([]);
/** A longer address is refused on the way by many. */
const urlCharsMax = 8000;
/** The share of a goal that a chain must account for. */
const shareMin = 0.4;
/** A chain that accounts for so much of it may ask for more than it answers. */
const shareSure = 0.75;
const scoreMin = -0.5;

/**
 * Makes the advisor of a price list. Takes about a second for a large description.
 * @param document the parsed OpenAPI description of the upstream; anything else means that there is none
 * @param rails how the shop takes money: `card`, `mpp`, `x402`
 * @param path where the guide is served
 */
export function openAdvisor(
  prices: PriceList,
  document: unknown,
  baseUrl: string,
  rails: readonly string[],
  path: string,
): Advisor {
  return { prices, surface: Surface.readSurface(prices, document), baseUrl, rails, path };
}

/** Parses a question. `advise` answers it; every process gives the same answer. Nothing is bought and no API is called. */
export function ask(
  advisor: Advisor,
  body: unknown,
): { kind: 'question'; advise: () => Advice } | { kind: 'fault'; faults: readonly Question.QuestionFault[] } {
  const read = Question.read(body);
  return read.ok
    ? { kind: 'question', advise: () => advise(advisor, read.question) }
    : { kind: 'fault', faults: read.faults };
}

/** From a goal to what to call, what it costs, what to buy, and what is missing. */
function advise(advisor: Advisor, question: Question.Question): Advice {
  const plain = judge(advisor, question);
  return {
    ...plain,
    guide: Guide.write(question.goal, advisor.prices.name, plain),
    guideUrl: guideUrl(advisor, question),
  };
}

function judge(advisor: Advisor, question: Question.Question): Plain {
  const { surface } = advisor;
  if (surface.offers.length === 0) return without('unavailable', []);
  const goal = Goal.read([question.goal, ...question.requirements].join('. '));
  const chain = Chain.plan(goal, surface);
  if (chain === null || !isNamed(chain, goal))
    return without(knows(goal, surface) ? 'unsupported' : 'unknown', [
      'Which data is wanted, of whom, and how much of it?',
    ]);
  return planned(advisor, question, goal, chain);
}

function planned(advisor: Advisor, question: Question.Question, goal: Goal.Goal, chain: Chain.Chain): Plain {
  const { prices, surface, baseUrl } = advisor;
  const counted = Estimate.estimateSteps(chain.links, goal, question.quantity);
  const built = chain.links.map((link, at) =>
    Request.build(surface, link, counted[at]?.amount ?? null, baseUrl),
  );
  const steps = Metered.priced(counted, chain.links, built);
  const operations = chain.links.map((link, at) => advised(link, steps[at], built[at]));
  const choice = Choice.choose(prices, chain.links, steps);
  if (choice === null)
    return {
      ...without('unavailable', ['No single plan opens all of these operations: ask the shop.']),
      operations,
    };
  const missing = [
    ...chain.links.flatMap(({ sources }, at) => sources.flatMap((source) => asking(source, at))),
    ...built.flatMap(({ lacking }, at) => lacking.map((name) => `Step ${at + 1} needs ${name}: which?`)),
  ];
  const limits = Limit.breaches(advisor.rails, question, goal, steps, choice);
  const status: Status =
    limits.length > 0
      ? 'blocked'
      : missing.length > 0
        ? 'needs_input'
        : choice.kind === 'trial'
          ? 'ready'
          : 'quoted';
  return {
    status,
    priceUsd: '0',
    operations,
    estimate: cost(steps),
    plan: { id: choice.id, amount_usd: Money.format(choice.amount), why: choice.why },
    steps: Steps.toSteps(advisor, question, operations, choice),
    questions: [...limits, ...missing],
    notes: [
      ...unused(goal, chain),
      ...built.flatMap(({ dropped }, at) =>
        dropped.map((field) => `Step ${at + 1} leaves ${field} out: the operation does not take the value.`),
      ),
    ],
  };
}

function without(status: Status, questions: readonly string[]): Plain {
  return {
    status,
    priceUsd: '0',
    operations: [],
    estimate: nothing,
    plan: null,
    steps: [],
    questions,
    notes: [],
  };
}

/** Places and numbers alone name nothing that is sold. */
function isNamed(chain: Chain.Chain, goal: Goal.Goal): boolean {
  if (chain.share < shareMin || (chain.score < scoreMin && chain.share < shareSure)) return false;
  const filled = chain.links.some(({ filling }) =>
    filling.fills.some(({ at, slot }) => slot.choice !== null || goal.words[at]?.mention?.kind === 'title'),
  );
  const given = chain.links.some(({ sources }) => sources.some(({ kind }) => kind === 'given'));
  return filled || given || chain.isNamed;
}

function knows(goal: Goal.Goal, surface: Surface.Surface): boolean {
  return (
    goal.mentions.length > 0 || goal.words.some(({ word }) => word !== '' && surface.vocabulary.has(word))
  );
}

function advised(
  { offer, ...link }: Chain.Link,
  step: Metered.MeteredStep | undefined,
  built: Request.Built | undefined,
): Advised {
  if (step === undefined || built === undefined) throw new Error('a link of the chain has no estimate');
  const { operation } = offer;
  return {
    operation: operation.id,
    method: operation.method,
    path: operation.path,
    service: operation.service.slug,
    summary: offer.summary,
    calls: step.calls,
    pages: step.pages,
    request: built.request,
    takes: [
      ...built.open.map(({ field, from, example }) => ({
        field,
        from: from === null ? null : { operation: from.call + 1, pointer: from.pointer },
        example,
      })),
      ...further(link.sources),
    ],
    ...(step.prices !== undefined && { prices: step.prices }),
    estimate: cost([step]),
  };
}

/** Values that were given beyond the first: one call each. */
function further(sources: readonly Chain.Source[]): Advised['takes'] {
  return sources.flatMap((source) => {
    if (source.kind !== 'given' || source.given.kind !== 'values' || source.ask.slot.leaf.many) return [];
    return source.given.values
      .slice(1)
      .map((value) => ({ field: Request.field(source.ask.slot), from: null, example: value }));
  });
}

function asking(source: Chain.Source, at: number): string[] {
  const { slot } = source.ask;
  const name = slot.leaf.path
    .filter((key) => key !== '*')
    .join('.')
    .replaceAll('_', ' ');
  if (source.kind === 'missing') return [`Step ${at + 1} needs the ${name}: which?`];
  if (source.kind !== 'given' || source.given.kind === 'values') return [];
  return [`Step ${at + 1} is called once for each ${name} that you have: put yours in.`];
}

/** Returns the words of the goal that no call uses, so that callers know what was ignored. */
function unused(goal: Goal.Goal, { links }: Chain.Chain): string[] {
  const taken = new Set(
    links.flatMap(({ filling, sources }) => [
      ...filling.used,
      ...sources.flatMap((source) => (source.kind === 'given' ? source.given.at : [])),
    ]),
  );
  return goal.mentions.flatMap((mention) => {
    if (
      taken.has(mention.at) ||
      (mention.kind === 'quantity' && !['range', 'years', 'days'].includes(mention.quantity.kind))
    )
      return [];
    const words = goal.words.filter((word) => word.mention?.at === mention.at).map(({ raw }) => raw);
    return [`No call takes "${words.join(' ').slice(0, 100)}" as a filter.`];
  });
}

/** The address that gives the same guide again; without the goal where that is too long for one, to be sent in a body. */
function guideUrl({ baseUrl, path }: Advisor, question: Question.Question): string {
  const query = new URLSearchParams({ goal: question.goal });
  const { quantity, budgetUsd, budgetExclusive, reviewAfterCalls, requirements, humanAvailable, payment } =
    question;
  const given = {
    quantity,
    budgetUsd,
    budgetExclusive: budgetExclusive || null,
    reviewAfterCalls,
    humanAvailable,
    payment,
  };
  for (const [name, value] of Object.entries(given)) if (value !== null) query.set(name, String(value));
  for (const requirement of requirements) query.append('requirements', requirement);
  const url = `${baseUrl}${path}?${query}`;
  return url.length <= urlCharsMax ? url : baseUrl + path;
}
