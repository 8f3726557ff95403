/** Host of the professional network unless the operator names another: a reserved name (RFC 2606). */
export const hostDefault = 'network.example';

type Environment = Readonly<Record<string, string | undefined>>;

const pattern = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Parses a host name, with or without `www.`, to the name without it; null if it is not a host name. */
export function parse(text: string): string | null {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^www\./, '');
  return pattern.test(name) ? name : null;
}

/** Returns the error of the setting `DIRECT_NETWORK_HOST`, or null if it is valid or not set. */
export function faultOf(environment: Environment = process.env): string | null {
  const given = environment.DIRECT_NETWORK_HOST;
  return !given || parse(given) !== null
    ? null
    : 'DIRECT_NETWORK_HOST must be a host name such as network.example, without https:// and without a path';
}

/**
 * Host of the network's addresses, in lower case and without `www.`. A process has one, because the operations, their
 * messages and their description are constants that contain it. An invalid setting is reported by `faultOf`.
 */
export const host = parse(process.env.DIRECT_NETWORK_HOST || hostDefault) ?? hostDefault;
