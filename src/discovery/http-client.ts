/** A request of an audit. */
export type ProbeRequest = {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
};

/** A response, read completely. Status 0: there was none, and `text` is the reason. */
export type AuditResponse = { status: number; headers: Headers; text: string };

/** Sends a request, limited in time and size. Never rejects. */
export type HttpClient = (request: ProbeRequest) => Promise<AuditResponse>;

/**
 * A defect. `error`: crawlers miss something or get wrong information. `warning`: some crawlers do. `note`: it could be found more easily.
 * `fix`: how to fix it.
 */
export type Finding = {
  severity: 'error' | 'warning' | 'note';
  code: string;
  where: string;
  says: string;
  fix: string;
};

/** Creates a finding. */
export function finding(
  severity: Finding['severity'],
  code: string,
  where: string,
  says: string,
  fix: string,
): Finding {
  return { severity, code, where, says, fix };
}

/** Returns the JSON value of a response, or undefined when it is not JSON. */
export function json({ text }: AuditResponse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the media type of a response without parameters. */
export function type({ headers }: AuditResponse): string {
  return (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Describes an unexpected response: its status, or the reason why there was none. */
export function why({ status, text }: AuditResponse): string {
  return status === 0 ? `no answer: ${text}` : `answered ${status}`;
}
