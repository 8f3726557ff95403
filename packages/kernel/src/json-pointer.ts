/** JSON Pointer (RFC 6901), parsed once and resolved often. */
export type JsonPointer = readonly string[];

/** The pointer's reference tokens, or null where `text` is not a pointer. The empty string names the whole value. */
export function parse(text: string): JsonPointer | null {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return null;
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the value at the pointer; undefined when there is none. Only own members are followed. */
export function resolve(value: unknown, pointer: JsonPointer): unknown {
  let current: unknown = value;
  for (const token of pointer) {
    if (Array.isArray(current)) {
      if (!/^(0|[1-9]\d{0,8})$/.test(token)) return undefined;
      current = current[Number(token)];
    } else if (typeof current === 'object' && current !== null && Object.hasOwn(current, token)) {
      current = (current as Record<string, unknown>)[token];
    } else {
      return undefined;
    }
  }
  return current;
}
