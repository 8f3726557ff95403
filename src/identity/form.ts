/** The longest form body that is looked at. */
export const formCharsMax = 8192;

/** RFC 6749, section 5.2: what the token endpoint answers with status 400, `error` and `error_description`. */
export type Fault = {
  kind: 'fault';
  error: 'invalid_request' | 'invalid_grant' | 'unsupported_grant_type';
  description: string;
};

/** The parameters of a form body, those sent without a value left out; or what is wrong with it (RFC 6749, section 3.2). */
export function parse(body: string): { kind: 'form'; values: ReadonlyMap<string, string> } | Fault {
  if (body.length > formCharsMax) return invalidRequest('the body is too long');
  const values = new Map<string, string>();
  const names = new Set<string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (names.has(name)) return invalidRequest('a parameter is given more than once');
    names.add(name);
    if (value !== '') values.set(name, value);
  }
  return { kind: 'form', values };
}

/** A refusal of the request as it was written. `description` holds neither quotes nor what the caller sent. */
export function invalidRequest(description: string): Fault {
  return { kind: 'fault', error: 'invalid_request', description };
}
