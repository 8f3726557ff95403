import { clientIdCharsMax } from './client.ts';

/** Maximum length of the query of an authorization request. */
const queryCharsMax = 8_000;
const stateCharsMax = 2_000;

/** A request at the authorization endpoint (OAuth 2.1, section 4.1.1) whose client and redirect URI are still to be checked. */
export type AuthorizationRequest = {
  clientId: string;
  redirectUri: string;
  state: string | null;
  /** The S256 code challenge (RFC 7636). */
  challenge: string;
};

export type AuthorizationError =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_target'
  | 'access_denied';

/**
 * `too_long` and `unusable`: there is no safe redirect URI for the error, so a page shows it to the person. `fault`: a redirect reports the error to the
 * client, after the check that client and redirect URI belong together.
 */
export type ParsedAuthorization =
  | { kind: 'request'; request: AuthorizationRequest }
  | { kind: 'too_long' }
  | { kind: 'unusable'; description: string }
  | {
      kind: 'fault';
      clientId: string;
      redirectUri: string;
      state: string | null;
      error: AuthorizationError;
      description: string;
    };

/** Reads the query of an authorization request. `resources` are the values of `resource` (RFC 8707) that name this shop. */
export function parse(query: URLSearchParams, resources: readonly string[]): ParsedAuthorization {
  if (query.toString().length > queryCharsMax) return { kind: 'too_long' };
  for (const name of [
    'client_id',
    'redirect_uri',
    'response_type',
    'state',
    'code_challenge',
    'code_challenge_method',
  ])
    if (query.getAll(name).length > 1)
      return { kind: 'unusable', description: `The parameter ${name} is given more than once.` };
  const clientId = query.get('client_id') ?? '';
  const redirectUri = query.get('redirect_uri') ?? '';
  if (clientId === '' || clientId.length > clientIdCharsMax)
    return { kind: 'unusable', description: 'The parameter client_id is missing or too long.' };
  if (redirectUri === '') return { kind: 'unusable', description: 'The parameter redirect_uri is missing.' };
  const state = query.get('state');
  const fault = (error: AuthorizationError, description: string) =>
    ({ kind: 'fault', clientId, redirectUri, state, error, description }) as const;
  if (state !== null && state.length > stateCharsMax)
    return { ...fault('invalid_request', 'state is too long'), state: null };
  if (query.get('response_type') !== 'code')
    return fault('unsupported_response_type', 'the only response type is code');
  const challenge = query.get('code_challenge') ?? '';
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    return fault('invalid_request', 'PKCE is required: code_challenge with code_challenge_method S256');
  if (!query.getAll('resource').every((resource) => resources.includes(resource.replace(/\/$/, ''))))
    return fault('invalid_target', 'this server does not have that resource');
  return { kind: 'request', request: { clientId, redirectUri, state, challenge } };
}

/** Returns the URL that redirects a result to the client. `iss` identifies the issuer (RFC 9207). */
export function redirectTo(
  { redirectUri, state }: { redirectUri: string; state: string | null },
  issuer: string,
  result: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set('state', state);
  url.searchParams.set('iss', issuer);
  return url.href;
}
