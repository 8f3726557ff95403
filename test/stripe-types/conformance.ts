import { ts } from 'ts-morph';

/** The encoding of a value: in `form` all values are texts, as in requests. */
type Writing = 'form' | 'json';

/** Returns the deviations of a value from a type of the client: unknown members, missing ones, and values not in an enumeration. */
export function faultsOf(
  checker: ts.TypeChecker,
  value: unknown,
  type: ts.Type,
  writing: Writing,
  at = '',
): string[] {
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
  if (type.isUnion()) return ofUnion(checker, value, type, writing, at);
  if (type.flags & ts.TypeFlags.Null) return value === null ? [] : [`${at} is not null`];
  if (type.flags & ts.TypeFlags.Undefined) return value === undefined ? [] : [`${at} is there`];
  if (type.isLiteral() || type.flags & ts.TypeFlags.BooleanLiteral)
    return ofLiteral(checker, value, type, writing, at);
  if (isText(type)) return typeof value === 'string' ? [] : [`${at} is no string`];
  if (type.flags & ts.TypeFlags.Number) return isNumber(value, writing) ? [] : [`${at} is no number`];
  if (value === null || typeof value !== 'object') return [`${at} is no object`];
  if (checker.isArrayType(type)) return ofArray(checker, value, type, writing, at);
  return ofObject(checker, value, type, writing, at);
}

/** Returns true for texts and for types that are texts on the wire: decimals, and open enumerations (`string & Record<never, never>`). */
function isText(type: ts.Type): boolean {
  return (
    Boolean(type.flags & ts.TypeFlags.String) ||
    (type.aliasSymbol ?? type.symbol)?.name === 'Decimal' ||
    isOpen(type)
  );
}

function isOpen(type: ts.Type): boolean {
  return type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String);
}

function isNumber(value: unknown, writing: Writing): boolean {
  return typeof value === 'number' || (writing === 'form' && /^-?\d+(\.\d+)?$/.test(String(value)));
}

function ofLiteral(
  checker: ts.TypeChecker,
  value: unknown,
  type: ts.Type,
  writing: Writing,
  at: string,
): string[] {
  const wanted = type.isLiteral() ? type.value : checker.typeToString(type) === 'true';
  const isSame = writing === 'form' ? value === String(wanted) : value === wanted;
  return isSame ? [] : [`${at} is ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`];
}

function ofUnion(
  checker: ts.TypeChecker,
  value: unknown,
  type: ts.UnionType,
  writing: Writing,
  at: string,
): string[] {
  const isEnumeration = type.types.some((one) => one.isStringLiteral() && one.value !== '');
  // The client's enumerations are open for future values; values sent or simulated today must be current ones.
  const members = type.types.filter((one) => !(isEnumeration && isOpen(one)));
  const tried = members.map((one) => faultsOf(checker, value, one, writing, at));
  if (tried.some((faults) => faults.length === 0)) return [];
  const isObject = typeof value === 'object' && value !== null;
  const near = tried.filter(
    (_, place) => isObject === Boolean((members[place]?.flags ?? 0) & ts.TypeFlags.Object),
  );
  if (!isObject && isEnumeration)
    return [`${at} has ${JSON.stringify(value)}, which the enumeration does not`];
  return (
    (near.length > 0 ? near : tried).toSorted((a, b) => a.length - b.length)[0] ?? [`${at} fits nothing`]
  );
}

function ofArray(
  checker: ts.TypeChecker,
  value: object,
  type: ts.Type,
  writing: Writing,
  at: string,
): string[] {
  if (!Array.isArray(value)) return [`${at} is no list`];
  const [item] = checker.getTypeArguments(type as ts.TypeReference);
  return item ? value.flatMap((one, place) => faultsOf(checker, one, item, writing, `${at}[${place}]`)) : [];
}

function ofObject(
  checker: ts.TypeChecker,
  value: object,
  type: ts.Type,
  writing: Writing,
  at: string,
): string[] {
  const members = new Map(checker.getPropertiesOfType(type).map((symbol) => [symbol.name, symbol]));
  const index = checker.getIndexInfosOfType(type)[0]?.type;
  const faults: string[] = [];
  for (const [name, one] of Object.entries(value)) {
    const symbol = members.get(name);
    const known = symbol ? checker.getTypeOfSymbol(symbol) : index;
    if (known === undefined) faults.push(`${at}.${name} is unknown`);
    else faults.push(...faultsOf(checker, one, known, writing, `${at}.${name}`));
  }
  for (const [name, symbol] of members)
    if (!(symbol.flags & ts.SymbolFlags.Optional) && !(name in value))
      faults.push(`${at}.${name} is missing`);
  return faults;
}
