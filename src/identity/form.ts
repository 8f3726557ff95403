/** Maximum length of a form body. */
export const formCharsMax = 8192;

/** An error response of the token endpoint, status 400 (RFC 6749, section 5.2): `error` and `error_description`. */
export type FormFault = {
  kind: 'fault';
  error: 'invalid_request' | 'invalid_grant' | 'invalid_client' | 'invalid_target' | 'unsupported_grant_type';
  description: string;
};

/** Reads the parameters of a form body; parameters without a value are ignored (RFC 6749, section 3.2). */
export function parse(body: string): { kind: 'form'; values: ReadonlyMap<string, string> } | FormFault {
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

/** Rejects a malformed request. `description` must contain no quotes and nothing that the caller sent. */
export function invalidRequest(description: string): FormFault {
  return { kind: 'fault', error: 'invalid_request', description };
}
