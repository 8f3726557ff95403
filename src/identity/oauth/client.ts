/** Maximum lengths of redirect URI, client id and name. */
const redirectUriCharsMax = 2_000;
export const clientIdCharsMax = 1_000;
const nameCharsMax = 80;
const redirectUrisMax = 10;

/** A public OAuth client: it has no secret, and proves each code with PKCE. */
export type OAuthClient = { id: string; name: string; redirectUris: readonly string[] };

export type ClientMetadata = Omit<OAuthClient, 'id'>;

export type FoundClient = { kind: 'client'; client: OAuthClient } | { kind: 'refused'; description: string };

/** Reads the metadata of clients whose id is the address of a document (draft-ietf-oauth-client-id-metadata-document). */
export interface ClientDocuments {
  find(clientId: string, nowMs: number): Promise<FoundClient>;
  close(): Promise<void>;
}

/** RFC 7591, section 3.2.2. */
export type MetadataFault = {
  kind: 'fault';
  error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  description: string;
};

/**
 * Reads client metadata, from a registration request (RFC 7591) or a client id metadata document. Unused members are ignored, as the RFC
 * requires; a client that asks for a secret is registered without one.
 */
export function parseMetadata(body: unknown): ClientMetadata | MetadataFault {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return invalidMetadata('the body must be a JSON object');
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(body));
  const uris = members.get('redirect_uris');
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax)
    return invalidRedirect(`redirect_uris must hold 1 to ${redirectUrisMax} addresses`);
  const redirectUris: string[] = [];
  for (const uri of uris) {
    if (typeof uri !== 'string' || !isRedirectUri(uri))
      return invalidRedirect(
        'a redirect URI is https, http on a loopback address, or a private-use scheme with a dot, without a fragment',
      );
    redirectUris.push(uri);
  }
  const grantTypes = members.get('grant_types');
  if (Array.isArray(grantTypes) && !grantTypes.includes('authorization_code'))
    return invalidMetadata('grant_types must include authorization_code');
  const responseTypes = members.get('response_types');
  if (Array.isArray(responseTypes) && !responseTypes.includes('code'))
    return invalidMetadata('response_types must include code');
  const name = members.get('client_name');
  return { name: displayName(name, redirectUris[0] ?? ''), redirectUris };
}

/** A name to show on the consent page: printable, on one line, never empty. */
function displayName(given: unknown, redirectUri: string): string {
  const shown =
    typeof given === 'string'
      ? given
          // Control and formatting characters could reorder or hide the text around the name.
          .replace(/[\p{C}\s]+/gu, ' ')
          .trim()
          .slice(0, nameCharsMax)
          .toWellFormed()
      : '';
  return shown || new URL(redirectUri).host || 'An application';
}

/**
 * Returns true when a code may be sent to `uri`: https anywhere, http on the user's own machine (RFC 8252, section 7.3), or a
 * private-use scheme in reverse domain form (section 7.1). `javascript:`, `data:` and the like have no dot.
 */
function isRedirectUri(uri: string): boolean {
  if (uri.length > redirectUriCharsMax || uri.includes('#') || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return isLoopback(hostname);
  return /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(protocol) || knownApps.includes(protocol);
}

/** Widely used editors whose private-use scheme has no dot. */
const knownApps: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:'];

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** Compares exactly; only the port of an http loopback address may differ (RFC 8252, section 7.3). */
export function hasRedirectUri(client: OAuthClient, uri: string): boolean {
  return client.redirectUris.some((registered) => registered === uri || sameButPort(registered, uri));
}

function sameButPort(registered: string, uri: string): boolean {
  if (!isRedirectUri(uri)) return false;
  const [left, right] = [new URL(registered), new URL(uri)];
  if (left.protocol !== 'http:' || !isLoopback(left.hostname)) return false;
  left.port = '';
  right.port = '';
  return left.href === right.href;
}

function invalidRedirect(description: string): MetadataFault {
  return { kind: 'fault', error: 'invalid_redirect_uri', description };
}

function invalidMetadata(description: string): MetadataFault {
  return { kind: 'fault', error: 'invalid_client_metadata', description };
}
