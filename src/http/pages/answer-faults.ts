import * as Schema from '@sluice/kernel/json-schema';

/** A text of an API about a request that it refused. `keys`: the members that lead to the value in question; none for the request as a whole. */
export type AnswerFault = { keys: readonly string[]; message: string };

const messageCharsMax = 300;
const faultsMax = 10;

/** Members of an error that hold a list of faults. `errors` may be an object with the faults of each field, too. */
const lists = ['errors', 'detail', 'details', 'violations', 'invalid-params', 'invalid_params'] as const;
const messages = ['message', 'msg', 'detail', 'error_description', 'reason', 'description', 'title'] as const;
const places = ['field', 'path', 'param', 'pointer', 'loc', 'property', 'propertyPath'] as const;

/**
 * Returns the faults in the body of an error response, in the forms that APIs use: problem details (RFC 9457), JSON:API, FastAPI, OpenAI, and
 * lists of `field` and `message`. Returns none for a body that has no text for people. The body is untrusted.
 */
export function faultsOf(body: string): AnswerFault[] {
  const root = parsed(body);
  const error = Schema.node(root.error);
  const found = [root, error]
    .flatMap((holder) => [...lists.flatMap((name) => listed(holder[name])), ...byField(holder.errors)])
    .slice(0, faultsMax);
  if (found.length > 0) return found;
  const whole = [faultOf(error), faultOf(root), faultOf(root.error)];
  return whole.flatMap((fault) => fault ?? []).slice(0, 1);
}

const missing =
  /^(?:(?:this )?(?:field|value|parameter|property) )?(?:is )?(?:required|missing)\.?$|^(?:can't|cannot|must not|may not|should not) be (?:blank|empty|null)\.?$/i;

/** Returns true for a message that says only that a value is missing or empty. */
export function saysMissing(message: string): boolean {
  return missing.test(message.trim());
}

function parsed(body: string): Schema.Node {
  try {
    return Schema.node(JSON.parse(body));
  } catch {
    return {};
  }
}

function listed(value: unknown): AnswerFault[] {
  return Schema.list(value).flatMap((one) => faultOf(one) ?? []);
}

function byField(value: unknown): AnswerFault[] {
  return Object.entries(Schema.node(value)).flatMap(([field, said]) => {
    const [first] = [said].flat();
    const fault = typeof first === 'string' ? faultOf(first) : null;
    return fault === null ? [] : { ...fault, keys: keysOf(field) };
  });
}

function faultOf(value: unknown): AnswerFault | null {
  if (typeof value === 'string') return value.trim() === '' ? null : { keys: [], message: shortened(value) };
  const own = Schema.node(value);
  const message = messages.map((name) => own[name]).find((text) => typeof text === 'string' && text !== '');
  if (message === undefined) return null;
  const { pointer, parameter } = Schema.node(own.source);
  const place = [...places.map((name) => own[name]), pointer, parameter].find((one) => one != null);
  return { keys: keysOf(place), message: shortened(String(message)) };
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= messageCharsMax ? line : `${line.slice(0, messageCharsMax)} …`;
}

/** The members of a path such as `company.hq[0].country`, `/company/hq/0/country`, or `["body", "company"]`, without positions in lists. */
function keysOf(place: unknown): string[] {
  const parts = Array.isArray(place)
    ? place.map(String)
    : typeof place === 'string'
      ? place.split(/^#?\/|[/.[\]]+/)
      : [];
  return parts.filter((part) => part !== '' && part !== '$' && !/^\d+$/.test(part));
}
