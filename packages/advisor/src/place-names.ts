import { fold } from './words.ts';

/** Codes of regions that are no countries, or no longer. */
const notCountries = new Set(
  'AC AN BU CP CQ CS CT DD DG DY EA EU EZ FQ FX HV IC JT MI NH NQ NT PC PU PZ QO RH SU TA TP UK UN VD WK XA XB YD YU ZR ZZ'.split(
    ' ',
  ),
);

const demonyms = `
AR argentine argentinian|AT austrian|AU australian|BE belgian|BG bulgarian|BR brazilian|CA canadian|CH swiss|CL chilean|CN chinese|CO colombian|CZ czech|DE german|DK danish|EE estonian|EG egyptian|ES spanish|FI finnish|FR french|GB uk u.k. british english scottish england britain scotland wales|GR greek|HK hongkong|HR croatian|HU hungarian|ID indonesian|IE irish|IL israeli|IN indian|IS icelandic|IT italian|JP japanese|KE kenyan|KR korean korea|LT lithuanian|LU luxembourgish|LV latvian|MA moroccan|MX mexican|MY malaysian|NG nigerian|NL dutch holland|NO norwegian|NZ kiwi|PE peruvian|PH filipino philippine|PK pakistani|PL polish|PT portuguese|RO romanian|RS serbian|RU russian|SA saudi|SE swedish|SG singaporean|SI slovenian|SK slovak|TH thai|TR turkish turkey|TW taiwanese|UA ukrainian|US usa u.s. u.s.a. america american states|VN vietnamese|ZA african|AE emirati uae emirates
`;

/** Groups of countries that people name as one. */
const groups: Readonly<Record<string, readonly string[]>> = {
  dach: ['DE', 'AT', 'CH'],
  benelux: ['BE', 'NL', 'LU'],
  nordics: ['DK', 'FI', 'IS', 'NO', 'SE'],
  scandinavia: ['DK', 'NO', 'SE'],
  baltics: ['EE', 'LV', 'LT'],
  iberia: ['ES', 'PT'],
};

/** Names that mean something else in small letters. */
const onlyCapital = new Set([
  'us',
  'chad',
  'jordan',
  'turkey',
  'georgia',
  'jersey',
  'guinea',
  'mali',
  'oman',
  'cuba',
  'polish',
  'in',
  'kiwi',
  'states',
  'african',
]);

/** Cities that are named without a preposition, and in small letters. */
const cityNames = `amsterdam|athens|atlanta|austin|bangalore|bangkok|barcelona|beijing|berlin|bogota|boston|brussels|bucharest|budapest|buenos aires|cairo|chicago|cologne|copenhagen|dallas|delhi|denver|dubai|dublin|dusseldorf|edinburgh|frankfurt|geneva|hamburg|helsinki|ho chi minh city|hong kong|houston|istanbul|jakarta|johannesburg|karachi|kuala lumpur|kyiv|lagos|lisbon|london|los angeles|lyon|madrid|manchester|manila|melbourne|mexico city|miami|milan|montreal|moscow|mumbai|munich|nairobi|new york|osaka|oslo|palo alto|paris|philadelphia|phoenix|porto|prague|rio de janeiro|riyadh|rome|rotterdam|san diego|san francisco|santiago|sao paulo|seattle|seoul|shanghai|shenzhen|silicon valley|stockholm|stuttgart|sydney|taipei|tallinn|tel aviv|tokyo|toronto|utrecht|valencia|vancouver|vienna|vilnius|warsaw|washington|zurich`;

const stateNames = `alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|west virginia|wisconsin|wyoming|bavaria|ontario|quebec|british columbia|new south wales|queensland|catalonia`;

export type Place =
  | { kind: 'country'; codes: readonly string[]; name: string }
  | { kind: 'city' | 'state'; name: string };

const places: ReadonlyMap<string, Place> = table();
/** The first words of all names. */
const starts: ReadonlySet<string> = new Set([...places.keys()].map((name) => name.split(' ')[0] ?? ''));
/** The longest name, in words. */
export const wordCountMax = 5;

function table(): Map<string, Place> {
  const found = new Map<string, Place>();
  for (const name of cityNames.split('|')) found.set(name, { kind: 'city', name: title(name) });
  for (const name of stateNames.split('|')) found.set(name, { kind: 'state', name: title(name) });
  for (const [name, codes] of Object.entries(groups))
    found.set(name, { kind: 'country', codes, name: title(name) });
  const english = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((a) => letters.map((b) => a + b))) {
    const name = notCountries.has(code) ? undefined : english.of(code);
    if (name === undefined) continue;
    for (const spelled of [name, name.replace(/ \(.*\)$/, ''), name.replace(/^The /, '')])
      found.set(key(spelled), { kind: 'country', codes: [code], name });
  }
  for (const entry of demonyms.trim().split('|')) {
    const [code = '', ...names] = entry.split(' ');
    for (const name of names)
      found.set(key(name), { kind: 'country', codes: [code], name: english.of(code) ?? code });
  }
  found.set('us', { kind: 'country', codes: ['US'], name: 'United States' });
  return found;
}

function key(name: string): string {
  return (fold(name).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

function title(name: string): string {
  return name.replace(/(^| )(\p{L})/gu, (_, gap: string, letter: string) => gap + letter.toUpperCase());
}

/** Returns true for a word with which a name begins. */
export function isStart(raw: string): boolean {
  return starts.has(key(raw).split(' ')[0] ?? '');
}

/** The country, state or city of that name; `raw` as it was written, as some need their capital letter. */
export function find(raw: string): Place | null {
  const name = key(raw);
  if (onlyCapital.has(name) && !(name === 'us' ? /^U\.?S/.test(raw) : /^\p{Lu}/u.test(raw))) return null;
  return places.get(name) ?? null;
}
