import fc from 'fast-check';
import type { Node } from '../../src/schema/schema.ts';
import type { SampleService } from './sample-service.ts';

/** Valid texts for requests: words and names in the data set, and some that are not in it. */
export function vocabulary({ companies, people, emails, phones }: SampleService['world']): string[] {
  const some = <T>(all: readonly T[], count: number): T[] =>
    all.filter((_, index) => index % Math.ceil(all.length / count) === 0);
  const texts = [
    ...some(companies, 12).flatMap(({ network_url, name, hq, domain, website, naics_codes, specialties }) => [
      network_url,
      name,
      hq?.city,
      hq?.state,
      hq?.country_code,
      domain,
      website,
      naics_codes[0],
      specialties?.[0],
    ]),
    ...some(people, 20).flatMap(({ network_url, experiences, education, location }) => [
      network_url,
      experiences[0]?.job_title,
      experiences[0] && `[${experiences[0].job_title}]`,
      education?.[0]?.school_name,
      location?.city,
    ]),
    ...some(emails, 10).map(({ email }) => email),
    ...some(phones, 20).flatMap(({ phone, person_network_url }) => [phone, person_network_url]),
    ...['Engineer', 'Manager', '[chief executive officer]', 'US', 'DE', 'BR', 'WORLD', 'software', 'sales'],
    ...['Europe/Berlin', 'America/New_York', 'São Paulo', 'nobody at all', 'zz', 'a', '北京', 'Ω'],
    ...['https://www.network.example/company/nobody-at-all', 'urn:nw:member:7', '+12065550100'],
  ];
  return [...new Set(texts.filter((text) => typeof text === 'string'))];
}

/** Valid bodies with few filters, so that most of them find something. */
export function right(node: Node, words: readonly string[]): fc.Arbitrary<unknown> {
  return body(node, words, null);
}

/** Bodies in the structure of the schema, with some invalid or unusual values. */
export function odd(node: Node, words: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: body(node, words, wild) }, { weight: 1, arbitrary: wild });
}

const wild = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    0.5,
    51,
    1e308,
    '',
    ' ',
    '[]',
    '\u0000',
    '\ud800',
    "'",
    '\\',
    ':*',
  ),
  fc.constantFrom<unknown>({}, [], { include: {} }, { include: 'x' }, [null], [[]], { min: 2, max: 1 }),
  fc.string({ unit: 'binary', maxLength: 250 }),
  fc.jsonValue({ maxDepth: 3 }),
);

function body(
  node: Node,
  words: readonly string[],
  oddity: fc.Arbitrary<unknown> | null,
): fc.Arbitrary<unknown> {
  const plain = shaped(node, words, oddity);
  return oddity === null
    ? plain
    : fc.oneof({ weight: 20, arbitrary: plain }, { weight: 1, arbitrary: oddity });
}

function shaped(
  node: Node,
  words: readonly string[],
  oddity: fc.Arbitrary<unknown> | null,
): fc.Arbitrary<unknown> {
  const within = (inner: Node) => body(inner, words, oddity);
  switch (node.kind) {
    case 'optional':
    case 'nullable':
      return fc.oneof(
        { weight: 9, arbitrary: within(node.inner) },
        { weight: 1, arbitrary: fc.constant(null) },
      );
    case 'or_word':
      return fc.oneof(within(node.inner), fc.constant(node.word));
    case 'text': {
      const fits = (text: string) =>
        [...text].length >= node.min && [...text].length <= node.max && (node.rule?.holds(text) ?? true);
      return fc.constantFrom(...words.filter(fits));
    }
    case 'choice':
      return fc.constantFrom(...node.values);
    case 'number': {
      const max = Math.min(node.max, 2 ** 40);
      const some = fc.oneof(
        fc.integer({ min: node.min, max: Math.min(max, node.min + 50) }),
        fc.constant(node.max),
      );
      return node.whole ? some : fc.oneof(some, fc.double({ min: node.min, max, noNaN: true }));
    }
    case 'flag':
      return fc.boolean();
    case 'list':
      return fc.array(within(node.item), { minLength: node.min, maxLength: Math.min(node.max, 3) });
    case 'object':
      return record(node, within, oddity);
  }
}

const optionalFieldsMax = 2;

function record(
  { fields, ordered }: Node & { kind: 'object' },
  within: (field: Node) => fc.Arbitrary<unknown>,
  oddity: fc.Arbitrary<unknown> | null,
): fc.Arbitrary<unknown> {
  const names = Object.keys(fields);
  // Valid cursors come from responses, so they are tested with the following pages.
  const optional = names.filter((name) => fields[name]?.kind === 'optional' && (name !== 'cursor' || oddity));
  const needed = names.filter((name) => fields[name]?.kind !== 'optional');
  const chosen = fc.subarray(optional, { maxLength: Math.min(optional.length, optionalFieldsMax) });
  const missing =
    oddity === null ? fc.constant<string[]>([]) : fc.oneof(fc.constant<string[]>([]), fc.subarray(needed));
  return fc
    .tuple(chosen, missing)
    .chain(([some, without]) =>
      fc.record(
        Object.fromEntries(
          [...needed.filter((name) => !without.includes(name)), ...some].map((name) => [
            name,
            within(fields[name] as Node),
          ]),
        ),
      ),
    )
    .map((value) => (ordered && oddity === null ? inOrder(value as Record<string, number>, ordered) : value));
}

/** Orders the bounds of a range. A maximum of 0 means no bound. */
function inOrder(range: Record<string, number>, { from, to }: { from: string; to: string }): object {
  const [low, high] = [range[from], range[to]];
  return low && high && low > high ? { [from]: high, [to]: low } : range;
}
