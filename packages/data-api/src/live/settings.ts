/** Settings of a live profile source. */
export type Settings = {
  /** Address that searches are posted to. */
  url: string;
  /** Sent as `x-api-key`; null sends no such header. */
  key: string | null;
  /** Maximum time of one call of the data API for all of its requests to the source. */
  deadlineMs: number;
  /** Time that a response is used again; 0 disables the cache. */
  cacheMs: number;
  /** Maximum number of simultaneous requests to the source, per process. */
  requestsMax: number;
  responseBytesMax: number;
  /** Price that the source charges the operator for each returned profile, in millionths of a US dollar. */
  costMicros: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const mebibyte = 1024 * 1024;
const microsPerDollar = 1_000_000;

/** Limits of the settings above that have no setting of their own, for sources without any. */
export const limits = {
  deadlineMs: 10_000,
  cacheMs: 300_000,
  requestsMax: 8,
  responseBytesMax: 4 * mebibyte,
  costMicros: 0,
};

/** Reads the settings and appends invalid ones to `faults`. Returns null without `DIRECT_LIVE_URL`. */
export function read(environment: Environment, faults: string[]): Settings | null {
  const text = (name: string, isRight: (value: string) => boolean, otherwise: string) => {
    const value = environment[name] || null;
    if (value !== null && !isRight(value)) faults.push(`${name} ${otherwise}`);
    return value;
  };
  const number = (name: string, min: number, max: number, otherwise: number) => {
    const isRight = (value: string) =>
      /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max;
    return Number(text(name, isRight, `must be a whole number from ${min} to ${max}`) ?? otherwise);
  };
  const url = text(
    'DIRECT_LIVE_URL',
    isPlainHttp,
    'must be an http:// or https:// address without a user name. Set DIRECT_LIVE_KEY for the key',
  );
  const key = text(
    'DIRECT_LIVE_KEY',
    (value) => /^[!-~]{1,500}$/.test(value),
    'must have 1 to 500 printable ASCII characters, none of them a space',
  );
  const cost = text(
    'DIRECT_LIVE_COST_USD',
    (value) => /^\d{1,3}(\.\d{1,6})?$/.test(value),
    'must be a price in US dollars such as 0.004, with at most 6 decimals',
  );
  const settings = {
    deadlineMs: number('DIRECT_LIVE_TIMEOUT_SECONDS', 1, 25, limits.deadlineMs / 1_000) * 1_000,
    cacheMs: number('DIRECT_LIVE_CACHE_SECONDS', 0, 86_400, limits.cacheMs / 1_000) * 1_000,
    requestsMax: number('DIRECT_LIVE_REQUESTS', 1, 100, limits.requestsMax),
    responseBytesMax:
      number('DIRECT_LIVE_RESPONSE_MIB', 1, 64, limits.responseBytesMax / mebibyte) * mebibyte,
    costMicros: cost === null ? limits.costMicros : Math.round(Number(cost) * microsPerDollar),
  };
  return url === null ? null : Object.freeze({ url, key, ...settings });
}

function isPlainHttp(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
