import * as JsonPointer from '@sluice/kernel/json-pointer';

/** The values of a field that show the end of a job. */
type JobEnd = { pointer: JsonPointer.JsonPointer; values: readonly (string | number | boolean)[] };

/** The rule for an operation that starts a job: its worst case is charged, and the rest is returned when the job has ended. */
export type JobRule = {
  /** Finds the id of the job in the response. */
  id: JsonPointer.JsonPointer;
  /** Path of the GET that shows the job, with one parameter for its id. */
  poll: string;
  done: JobEnd;
  failed: JobEnd | null;
  /** Time after which a job that has not ended is settled. */
  hours: number;
  /** The charge for a job that has not ended in time: nothing, or the amount that was held. */
  unended: 'free' | 'held';
};

type EndSource = { pointer: string; in: readonly (string | number | boolean)[] };

/** The rule as the catalogue writes it, with the defaults of the schema filled in. */
export type JobSource = {
  id: string;
  poll: string;
  done: EndSource;
  failed?: EndSource;
  hours: number;
  unended: 'free' | 'held';
};

/** Converts the rule of a valid source. */
export function toJobRule({ id, poll, done, failed, hours, unended }: JobSource): JobRule {
  return {
    id: pointer(id),
    poll: poll.replace(/^GET /, ''),
    done: toEnd(done),
    failed: failed === undefined ? null : toEnd(failed),
    hours,
    unended,
  };
}

/** Returns the path that shows a job. */
export function pollPath({ poll }: Pick<JobRule, 'poll'>, id: string): string {
  return poll.replace(/\{[^}]*\}/, encodeURIComponent(id));
}

/** Returns whether the body of a poll shows the end of its job. */
export function stateOf(
  { done, failed }: Pick<JobRule, 'done' | 'failed'>,
  body: unknown,
): 'running' | 'done' | 'failed' {
  const has = ({ pointer, values }: JobEnd) =>
    values.includes(JsonPointer.resolve(body, pointer) as string | number | boolean);
  if (has(done)) return 'done';
  return failed !== null && has(failed) ? 'failed' : 'running';
}

function toEnd({ pointer: text, in: values }: EndSource): JobEnd {
  return { pointer: pointer(text), values };
}

function pointer(text: string): JsonPointer.JsonPointer {
  return JsonPointer.parse(text) ?? [];
}
