import * as Money from '@sluice/kernel/money';
import type { Advice, Advised, Status } from './advice.ts';
import { cost } from './advice.ts';
import * as Chain from './chain.ts';
import * as Choice from './choice.ts';
import type * as Draft from './draft.ts';
import * as Estimate from './estimate.ts';
import * as Goal from './goal.ts';
import * as Guide from './guide.ts';
import * as Limit from './limit.ts';
import * as Metered from './metered.ts';
import type { PriceList } from './price-list.ts';
import * as Question from './question.ts';
import * as Reader from './reader.ts';
import * as Request from './request.ts';
import * as Steps from './steps.ts';
import * as Surface from './surface.ts';
import * as Translation from './translation.ts';

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
/** The least probability of the whole chain for an answer without a question: where callers' phrases decide, where they count beside the description, and where it is compared alone. */
const sure = { trained: 0.85, taught: 0.9, described: 0.93 };
/** Parts of a goal that nothing uses are named up to this number. */
const unusedCountMax = 5;

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
  const reader = surface.reader();
  const text = [question.goal, ...question.requirements].join('. ');
  const translation = Translation.toEnglish(text, reader.concepts);
  const goal = Goal.read(translation.text);
  const reading = Reader.read(reader, goal, text);
  const plan = Chain.plan(goal, surface, reading);
  const { chains } = plan;
  const [best] = chains;
  const verdict = verdictOf(reading, plan);
  const isUnderstood = Reader.understands(reader, goal);
  const isForeign = !isUnderstood && Reader.unknown(reader, goal).size > 0;
  if (best === undefined || verdict === 'outside' || (verdict === 'vague' && isForeign))
    return without(isUnderstood ? 'unsupported' : 'unknown', [whichData]);
  if (verdict === 'vague') return without('needs_input', [whichData, ...readings(chains)]);
  const plain = planned(advisor, question, goal, best, translation);
  if (verdict === 'sure' || plain.status === 'blocked' || plain.status === 'unavailable') return plain;
  return { ...plain, status: 'needs_input', questions: [...readings(chains), ...plain.questions] };
}

const whichData = 'Which data is wanted, of whom, and how much of it?';

type Verdict = 'sure' | 'doubtful' | 'vague' | 'outside';

/** Judges whether a goal is understood: whether anything sold answers it, and whether the calls are certain. */
function verdictOf({ vague, by }: Reader.Reading, plan: Chain.Plan): Verdict {
  const [best] = plan.chains;
  if (best === undefined) return 'outside';
  if (vague === Number.POSITIVE_INFINITY) return 'vague';
  const share = (of: (links: readonly Chain.Link[]) => unknown) =>
    plan.chains.reduce(
      (sum, { links, probability }) => sum + (of(links) === of(best.links) ? probability : 0),
      0,
    );
  const first = share((links) => links[0]?.offer);
  if (plan.vague > Math.max(first, plan.outside)) return 'vague';
  if (plan.outside > first) return 'outside';
  return share(Chain.meaning) >= sure[by] ? 'sure' : 'doubtful';
}

/** Asks which of the two most probable readings is meant. */
function readings(chains: readonly Chain.Chain[]): string[] {
  // The same calls without the search for what they need are no other reading.
  const meant = chains.map(({ links }) => Chain.meaning(links));
  const distinct = chains.filter((_, at) => meant.indexOf(meant[at] ?? '') === at);
  const named = distinct.map(({ links }) =>
    links
      .map(({ offer }) => `${offer.summary} (${offer.operation.method} ${offer.operation.path})`)
      .join(', then '),
  );
  const [first, second] = new Set(named);
  return first === undefined || second === undefined ? [] : [`Is this wanted: ${first}? Or this: ${second}?`];
}

function planned(
  advisor: Advisor,
  question: Question.Question,
  goal: Goal.Goal,
  chain: Chain.Chain,
  translation: Translation.Translation,
): Plain {
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
      ...unused(surface.reader(), goal, chain, translation),
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
function further(sources: readonly Draft.Source[]): Advised['takes'] {
  return sources.flatMap((source) => {
    if (source.kind !== 'given' || source.given.kind !== 'values' || source.ask.slot.leaf.many) return [];
    return source.given.values
      .slice(1)
      .map((value) => ({ field: Request.field(source.ask.slot), from: null, example: value }));
  });
}

function asking(source: Draft.Source, at: number): string[] {
  const { slot } = source.ask;
  const name = slot.leaf.path
    .filter((key) => key !== '*')
    .join('.')
    .replaceAll('_', ' ');
  if (source.kind === 'missing') return [`Step ${at + 1} needs the ${name}: which?`];
  if (source.kind !== 'given' || source.given.kind === 'values') return [];
  return [`Step ${at + 1} is called once for each ${name} that you have: put yours in.`];
}

/** Names the parts of the goal that no call uses, so that callers know what was ignored. */
function unused(
  reader: Reader.Reader,
  goal: Goal.Goal,
  { links }: Chain.Chain,
  { original }: Translation.Translation,
): string[] {
  const taken = new Set(
    links.flatMap(({ filling, sources }) => [
      ...filling.used,
      ...sources.flatMap((source) => (source.kind === 'given' ? source.given.at : [])),
    ]),
  );
  const unknown = Reader.unknown(reader, goal);
  const isIdle = (index: number) => {
    const mention = goal.words[index]?.mention ?? null;
    if (taken.has(index) || (mention !== null && taken.has(mention.at))) return false;
    return mention === null || mention.kind === 'title'
      ? unknown.has(index)
      : mention.kind !== 'quantity' || ['range', 'years', 'days'].includes(mention.quantity.kind);
  };
  const phrases: string[] = [];
  for (let at = 0; at < goal.words.length; at++) {
    let end = at;
    while (end < goal.words.length && isIdle(end)) end += 1;
    if (end === at) continue;
    phrases.push(original(goal.words[at]?.from ?? 0, goal.words[end - 1]?.to ?? 0));
    at = end;
  }
  return phrases.slice(0, unusedCountMax).map((text) => `No call takes "${text.slice(0, 100)}" as a filter.`);
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
