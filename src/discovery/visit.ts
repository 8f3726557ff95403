/** One request of an audit. */
export type Request = {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
};

/** An answer, read to its end; status 0 where there was none, and `text` says why. */
export type Visited = { status: number; headers: Headers; text: string };

/** Makes one request: bounded in time and bytes, never rejects. */
export type Visit = (request: Request) => Promise<Visited>;

/**
 * What is amiss. `error`: a crawler misses it or is misled. `warning`: some do. `note`: it could be found more easily.
 * `mend` says what to do about it.
 */
export type Finding = {
  severity: 'error' | 'warning' | 'note';
  code: string;
  where: string;
  says: string;
  mend: string;
};

/** A finding about one place. */
export function finding(
  severity: Finding['severity'],
  code: string,
  where: string,
  says: string,
  mend: string,
): Finding {
  return { severity, code, where, says, mend };
}

/** The JSON value of an answer; undefined where it is none. */
export function json({ text }: Visited): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The media type of an answer, without its parameters. */
export function type({ headers }: Visited): string {
  return (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Why an answer is not what was looked for: its status, or that there was none. */
export function why({ status, text }: Visited): string {
  return status === 0 ? `no answer: ${text}` : `answered ${status}`;
}
