import * as Schema from '@sluice/kernel/json-schema';

/** The place of the seller's key in a request. `value` contains `{key}` in place of the key. */
export type KeyDraft = { header: string; value: string } | { query: string };

const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const parameterName = /^[A-Za-z0-9_.-]{1,100}$/;

/** Returns true for a key that only an entry of `upstreams` can place. */
export function isNamed(key: KeyDraft): key is { query: string } {
  return 'query' in key;
}

/** Returns the place of the API key, by the security schemes of the description. */
export function keyOf(document: Schema.Node, read: Schema.Reader): { key: KeyDraft; doubts: string[] } {
  const schemes = read(read(document.components).securitySchemes);
  // Schemes that every call requires come first.
  const wanted = Schema.list(document.security).flatMap((one) => Object.keys(read(one)));
  const names = [...wanted, ...Object.keys(schemes)];
  const places = names.flatMap((name) => placeOf(read(schemes[name])));
  const inHeader = places.find(({ key }) => !isNamed(key));
  const found = inHeader ?? places[0];
  if (found !== undefined) return found;
  const reason = 'The description has no security scheme: enter the header that carries your key';
  return { key: { header: 'x-api-key', value: '{key}' }, doubts: [reason] };
}

function placeOf({ type, in: at, name, scheme }: Schema.Node): { key: KeyDraft; doubts: string[] }[] {
  const header = String(name).toLowerCase();
  if (type === 'apiKey' && at === 'header' && headerName.test(header))
    return [{ key: { header, value: '{key}' }, doubts: [] }];
  if (type === 'apiKey' && at === 'query' && parameterName.test(String(name)))
    return [
      {
        key: { query: String(name) },
        doubts: ['The API takes the key in the query: check whether it also accepts the key in a header'],
      },
    ];
  const isBearer = type === 'http' && /^bearer$/i.test(String(scheme));
  if (type === 'oauth2' || type === 'openIdConnect' || isBearer)
    return [{ key: { header: 'authorization', value: 'Bearer {key}' }, doubts: [] }];
  if (type !== 'http' || !/^basic$/i.test(String(scheme))) return [];
  return [
    {
      key: { header: 'authorization', value: 'Basic {key}' },
      doubts: ['Basic authentication: UPSTREAM_API_KEY is the base64 of user:password'],
    },
  ];
}
