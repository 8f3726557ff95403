import { type KeyObject, verify } from 'node:crypto';
import * as Fields from 'structured-headers';

/** The parts of a request that a signature can cover. */
export type SignedRequest = {
  readonly method: string;
  /** The origin that callers use (`PUBLIC_URL`). A signature for another host never verifies, whatever `Host` says. */
  readonly origin: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Returns the values of a header in their order; `name` is in lower case. */
  values(name: string): readonly string[];
};

/** One signature of a request (RFC 9421), as its fields state it. Nothing is verified yet. */
export type MessageSignature = {
  readonly label: string;
  /** The covered components with their parameters, and the parameters of the signature. */
  readonly input: Fields.InnerList;
  readonly bytes: Buffer;
};

const fieldCharsMax = 8_192;
const componentsMax = 16;

/** Returns the signatures of a request; null when a field cannot be parsed. */
export function parse(request: SignedRequest): readonly MessageSignature[] | null {
  const inputs = dictionary(request, 'signature-input');
  const signatures = dictionary(request, 'signature');
  if (inputs === null || signatures === null) return null;
  const found: MessageSignature[] = [];
  for (const [label, input] of inputs) {
    const bytes = signatures.get(label)?.[0];
    if (!isInnerList(input) || !(bytes instanceof ArrayBuffer)) return null;
    found.push({ label, input, bytes: Buffer.from(bytes) });
  }
  return found;
}

/** Parses a dictionary field of all its lines. It is empty when the field is absent, and null when it cannot be parsed. */
export function dictionary(request: SignedRequest, name: string): Fields.Dictionary | null {
  const text = combined(request, name);
  if (text === null) return new Map();
  return text.length > fieldCharsMax ? null : parsed(() => Fields.parseDictionary(text));
}

/** Returns the lines of a field as one value (RFC 9421, section 2.1), or null when the field is absent. */
export function combined(request: SignedRequest, name: string): string | null {
  const values = request.values(name);
  return values.length === 0 ? null : values.map((value) => value.trim()).join(', ');
}

/** Calls a parser of structured fields. Returns null when the text is not valid. */
export function parsed<Value>(parse: () => Value): Value | null {
  try {
    return parse();
  } catch {
    return null;
  }
}

function isInnerList(member: Fields.Item | Fields.InnerList): member is Fields.InnerList {
  return Array.isArray(member[0]);
}

/** Returns the signature base (RFC 9421, section 2.5); null when a component is absent, repeated or not supported. */
export function base(request: SignedRequest, { input }: Pick<MessageSignature, 'input'>): string | null {
  const [components] = input;
  if (components.length > componentsMax) return null;
  const lines = new Map<string, string>();
  for (const component of components) {
    const value = componentValue(request, component);
    const identifier = Fields.serializeItem(component);
    if (value === null || lines.has(identifier)) return null;
    lines.set(identifier, `${identifier}: ${value}`);
  }
  return [...lines.values(), `"@signature-params": ${Fields.serializeInnerList(input)}`].join('\n');
}

function componentValue(request: SignedRequest, [name, parameters]: Fields.Item): string | null {
  if (typeof name !== 'string') return null;
  if (name.startsWith('@')) return parameters.size > 0 ? null : derived(request, name);
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return null;
  if (parameters.size === 0) return combined(request, name);
  const key = parameters.get('key');
  if (typeof key !== 'string' || parameters.size > 1) return null;
  const member = dictionary(request, name)?.get(key);
  if (member === undefined) return null;
  return isInnerList(member) ? Fields.serializeInnerList(member) : Fields.serializeItem(member);
}

/** The derived components of a request (RFC 9421, section 2.2). */
function derived({ method, origin, target }: SignedRequest, name: string): string | null {
  if (!target.startsWith('/')) return null;
  const mark = target.indexOf('?');
  switch (name) {
    case '@method':
      return method;
    case '@authority':
      return new URL(origin).host;
    case '@scheme':
      return new URL(origin).protocol.slice(0, -1);
    case '@target-uri':
      return origin + target;
    case '@request-target':
      return target;
    case '@path':
      return mark < 0 ? target : target.slice(0, mark);
    case '@query':
      return mark < 0 ? '?' : target.slice(mark);
    default:
      return null;
  }
}

/** Verifies an Ed25519 signature over a signature base. */
export function isSignedBy(key: KeyObject, base: string, bytes: Buffer): boolean {
  return verify(null, Buffer.from(base, 'latin1'), key, bytes);
}
