import * as Ranker from '../src/ranker.ts';
import type * as Softmax from './softmax.ts';

/** The readings of a goal, and what is known of the right one. */
export type Example = Softmax.Row & {
  group: string;
  isSeveral: boolean;
  isInside: boolean;
  firsts: readonly string[];
  meanings: readonly string[];
  /** The chats that wrote goals for the API, where several did. */
  chats?: number;
};

type Judged = {
  isRight: boolean;
  isFirst: boolean;
  share: number;
  isAnswer: boolean;
  isInside: boolean;
  isSeveral: boolean;
  chats?: number;
};

/** Judges the most probable reading. */
export function judge(
  weights: Ranker.Weights,
  { readings, right, meanings, firsts, isInside, isSeveral, chats }: Example,
): Judged {
  const shares = Ranker.probabilities(Ranker.scores(weights, readings));
  const chains = shares.slice(0, meanings.length);
  const best = chains.indexOf(Math.max(...chains));
  const share = shares[best] as number;
  const first = chains.reduce((sum, own, at) => sum + (firsts[at] === firsts[best] ? own : 0), 0);
  const others = shares.slice(meanings.length);
  const other = others.indexOf(Math.max(...others));
  const isAnswer = Math.max(...others) <= first;
  const isFirst = isInside ? isAnswer && right.some((at) => firsts[at] === firsts[best]) : !isAnswer;
  return {
    isRight: isAnswer ? right.includes(best) : right.includes(meanings.length + other),
    isFirst,
    share: isAnswer ? share : 0,
    isAnswer,
    isInside,
    isSeveral,
    ...(chats && { chats }),
  };
}

/** Prints how many goals are read right, and how many of those that are certain are wrong. */
export function print(name: string, judged: readonly Judged[]): void {
  const percent = (some: readonly Judged[], of: (one: Judged) => boolean) =>
    `${((some.filter(of).length / Math.max(1, some.length)) * 100).toFixed(1)} %`;
  const line = (label: string, some: readonly Judged[]) => {
    const certain = [0.85, 0.9, 0.93, 0.95].map((least) => {
      const sure = some.filter(({ share }) => share >= least);
      return `from ${least} ${percent(some, ({ share }) => share >= least)} wrong ${percent(sure, ({ isRight }) => !isRight)} first ${percent(sure, ({ isFirst }) => !isFirst)}`;
    });
    process.stdout.write(
      `${name} ${label.padEnd(8)} ${some.length} goals, first ${percent(some, ({ isFirst }) => isFirst)}, chain ${percent(some, ({ isRight }) => isRight)}; ${certain.join('; ')}\n`,
    );
  };
  line('all', judged);
  line(
    'one',
    judged.filter(({ isInside, isSeveral }) => isInside && !isSeveral),
  );
  line(
    'several',
    judged.filter(({ isSeveral }) => isSeveral),
  );
  line(
    'outside',
    judged.filter(({ isInside }) => !isInside),
  );
  for (const count of [1, 2, 3])
    line(
      `${count} chats`,
      judged.filter(({ chats }) => chats === count),
    );
}
