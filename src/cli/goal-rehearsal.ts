import * as Advisor from '@sluice/advisor/advisor';
import type { Catalog } from '../catalog/catalog.ts';
import type { LoadedCatalog } from '../catalog/file.ts';
import type { Goal } from '../catalog/goals-file.ts';
import { priceList } from '../discovery/price-list.ts';

/** The answers of the advisor to goals of the catalogue that it was not taught. */
export type Rehearsal = {
  /** The goals of the catalogue, and the sample of them that was asked. */
  goals: number;
  asked: number;
  firstRight: number;
  chainRight: number;
  /** Answers that ask nothing back, and those of them whose calls are wrong. */
  certain: number;
  certainWrong: number;
  /** The wrong first calls, the most frequent first. `given` is null when no call was found. */
  mistakes: readonly { wanted: string; given: string | null; goals: readonly string[] }[];
};

/** Each goal is left out once: the advisor is taught the other four fifths. */
const parts = 5;
const publicUrl = 'http://localhost:4020';

/**
 * Asks the advisor goals of the catalogue, each of which was left out when it was taught.
 * @param askedMax the most goals to ask, spread over the file; one takes some 20 ms
 * @param show receives a line about the current step
 */
export function rehearse(
  { catalog, document }: LoadedCatalog,
  askedMax: number,
  show: (what: string) => void = () => undefined,
): Rehearsal {
  const goals = catalog.goals ?? [];
  const stride = Math.max(1, Math.ceil(goals.length / askedMax));
  const isAsked = (at: number) => Math.floor(at / parts) % stride === 0;
  const total = goals.filter((_, at) => isAsked(at)).length;
  const answers: Answer[] = [];
  let done = 0;
  for (let part = 0; part < parts; part += 1) {
    const isLeftOut = (at: number) => at % parts === part;
    const left = goals.filter((_, at) => isLeftOut(at) && isAsked(at));
    if (left.length === 0) continue;
    show(`Teaching the advisor, ${part + 1} of ${parts} times`);
    const taught = { ...catalog, goals: goals.filter((_, at) => !isLeftOut(at)) };
    answers.push(
      ...answersTo(left, taught, document, () => {
        done += 1;
        show(`Asking goals: ${done} of ${total}`);
      }),
    );
  }
  const certain = answers.filter((answer) => answer.isCertain);
  return {
    goals: goals.length,
    asked: answers.length,
    firstRight: answers.filter(isFirstRight).length,
    chainRight: answers.filter(isChainRight).length,
    certain: certain.length,
    certainWrong: certain.filter((answer) => !isChainRight(answer)).length,
    mistakes: mistakesIn(answers),
  };
}

type Answer = { goal: Goal; calls: readonly string[]; isCertain: boolean };

function answersTo(
  goals: readonly Goal[],
  taught: Catalog,
  document: unknown,
  answered: () => void,
): Answer[] {
  const advisor = Advisor.openAdvisor(priceList(taught, publicUrl), document, publicUrl, ['card'], '/guide');
  return goals.flatMap((goal) => {
    answered();
    const read = Advisor.ask(advisor, { goal: goal.ask });
    if (read.kind === 'fault') return [];
    const { operations, questions } = read.advise();
    const isCertain = operations.length > 0 && questions.length === 0;
    return [{ goal, calls: operations.map(({ operation }) => operation), isCertain }];
  });
}

/** A vague goal is asked back in any case; one that nothing answers must not get a certain answer. */
function isFirstRight({ goal, calls, isCertain }: Answer): boolean {
  return goal.calls.length === 0 ? !isCertain : calls[0] === goal.calls[0];
}

function isChainRight(answer: Answer): boolean {
  const { goal, calls } = answer;
  if (goal.calls.length === 0) return isFirstRight(answer);
  return calls.length === goal.calls.length && calls.every((call, at) => call === goal.calls[at]);
}

function mistakesIn(answers: readonly Answer[]): Rehearsal['mistakes'] {
  const groups = Map.groupBy(
    answers.filter((answer) => !isFirstRight(answer)),
    ({ goal, calls }) => JSON.stringify([goal.calls[0] ?? goal.kind, calls[0] ?? null]),
  );
  return [...groups]
    .map(([key, of]) => {
      const [wanted, given] = JSON.parse(key) as [string, string | null];
      return { wanted, given, goals: of.map(({ goal }) => goal.ask) };
    })
    .sort((a, b) => b.goals.length - a.goals.length || a.wanted.localeCompare(b.wanted));
}
