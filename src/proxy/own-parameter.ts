/** The query parameter that carries the operator's key. */
export type OwnParameter = {
  name: string;
  /** `name=value`, percent-encoded. */
  text: string;
};

const decodingsMax = 4;

export function create(name: string, value: string): OwnParameter {
  return { name, text: `${encodeURIComponent(name)}=${encodeURIComponent(value)}` };
}

/**
 * Returns a query with the operator's parameter and without each parameter of the caller that some server might read as the same one:
 * in another case, percent-encoded once or several times, with `-`, `.` or a space for `_`, as a list (`name[]`), or behind a semicolon or an encoded `&`.
 * All other parameters stay as they are, in their order.
 * @param query empty, or with its question mark
 */
export function replaceIn(query: string, { name, text }: OwnParameter): string {
  if (query.length <= 1) return `?${text}`;
  const ours = folded(name);
  const kept = query
    .slice(1)
    .split('&')
    .filter((part) => !namesIn(part).some((one) => folded(one) === ours));
  return `?${[...kept, text].join('&')}`;
}

/** The names that any server may find in a part of a query: some decode it before they split it. */
function namesIn(part: string): string[] {
  return decoded(part)
    .split(/[&;]/)
    .map((one) => one.split('=', 1)[0] ?? '');
}

function folded(name: string): string {
  const [bare = ''] = name.trim().split('[', 1);
  return bare
    .trim()
    .toLowerCase()
    .replace(/[\s.+-]/g, '_');
}

/** Decodes until nothing changes, as proxies and servers one behind the other do. Drops control characters, which some of them ignore. */
function decoded(text: string): string {
  let before = text.replaceAll('+', ' ');
  for (let at = 0; at < decodingsMax; at++) {
    const after = before
      .replace(/%u([\da-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      .replace(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
    if (after === before) break;
    before = after;
  }
  return before.replace(/[^\x20-\uffff]|\x7f/g, '');
}
