import { fold, stem } from './words.ts';

/**
 * Plain English for what descriptions of APIs say in their own words: each line is a canonical word and what people say
 * for it. Goals and descriptions are read by the same lexicon, so that both meet; nothing here names an operation.
 */
const lines = `
email: mail, work email, business email, work mail, business mail, work e mail, business e mail, contact email, e mail, mail address, email address, e mail address, inbox
phone: telephone, mobile, cell phone, cellphone, direct dial, phone number, mobile number, mobile phone, telephone number, mobile phone number, direct phone, direct line, dial
domain: website, web site, site, web address, homepage, home page, web domain
person: people, persona, human, lead, prospect, contact, individual, professional, candidate, talent, somebody, anybody, who, whoever, contact person
company: firm, business, organisation, organization, enterprise, startup, start up, vendor, employer, corporation, account list
job: vacancy, opening, open role, open position, open job, job posting, job opening, job ad, posting, position, role, job advert, job offer, open job, career page, careers page, advertising job, internship, gig
hire: hiring, recruit, recruiting, recruitment, employer looking for, company looking for, who is hiring, want to hire
employ: employing, on staff, employs
employee: staff, workforce, team member, personnel, colleague, person who work, who work, everybody, everyone, employed, working for
icp: decision maker, best contact, right person, key contact, key person, buyer, decider, target persona, should i contact, should i talk to, ideal customer profile, whom should i contact, who should i contact, who to contact
waterfall: cascade
country: nation, geographic, geographical, geography
department: job function, function, team breakdown, division, each team
distribution: breakdown, split, spread, how big, how large, distributed
headcount: head count, number of employee, how many employee, employee count, employee per
realtime: real time, live
market: tam, total addressable market, market size, size the market
profile: detail, career history, background, career, bio, biography, resume, cv, firmographic, tell me about, about the company, work before, work history
enrich: enrichment, complete, augment
identify: identity, reverse lookup, reverse, lookup, look up, belong, owner, own, whose, behind, called me, who is
balance: left, remaining, quota, allowance, credit, still have, remain
key: api key, apikey, token
time: date, date and time, datetime, clock, what time, time zone, timezone
convert: resolve, conversion, translate, turn into, map
page: network url, network page, company page, network
rate: rate limit, how fast
education: study, studied, graduated, graduate, alumni, degree, school, alumnus
founded: founding, founding year, established, started
funding: raised, funded, raise, fund, backed
revenue: turnover, sale volume
follower: following
hq: headquarter, headquartered, based, seat
experience: seniority
`;

/** Related words, with a similarity from 0 to 1. */
export const related: Readonly<Record<string, readonly [string, number]>> = {
  hire: ['job', 0.7],
  employ: ['employee', 0.6],
  employee: ['person', 0.35],
  icp: ['person', 0.35],
  headcount: ['employee', 0.5],
  identify: ['person', 0.5],
};

/** Words that say how something is asked for, not what. */
const stops = `
a an the and or of to in at on for from by with within across into over under about as is are was were be been am do does did has have had having i we you he she it they me us my our your their its his her
this that these those there here all any some each every per more most less least fewer than up down out only just also please want wants wanted need needs would like could can may should shall will let get give show tell make
help hey hi hello looking pull build compile provide fetch obtain grab collect return using use used what which when where how many much currently now new latest recent top best good great max maximum minimum min at most than
such other others another one two so if not no then plus incl including include included via number numbers address addresses result results record records data information info everything yes re ve ll got s t d m them
find search list seek discover finder looking look biggest largest smallest currently incl same whether while yet that's currently spreadsheet whatever please result approx approximately around roughly ca exactly kind kinds sort currently id ids
`;

const canonical: ReadonlySet<string> = new Set(
  lines
    .trim()
    .split('\n')
    .map((line) => line.split(':')[0] ?? ''),
);
const stopWords: ReadonlySet<string> = new Set(stops.split(/\s+/));

/** Phrases by their first stem, the longest first, each with its canonical word. */
const phrases: ReadonlyMap<string, readonly { stems: readonly string[]; word: string }[]> = read();

function read() {
  const table = new Map<string, { stems: string[]; word: string }[]>();
  for (const line of lines.trim().split('\n')) {
    const [word = '', said = ''] = line.split(':');
    for (const phrase of said.split(',')) {
      const stems = phrase.trim().split(' ').map(stem);
      const first = stems[0] ?? '';
      table.set(first, [...(table.get(first) ?? []), { stems, word }]);
    }
  }
  for (const list of table.values()) list.sort((a, b) => b.stems.length - a.stems.length);
  return table;
}

/** Returns true when a folded word carries no meaning of its own. */
export function isStop(word: string): boolean {
  return stopWords.has(word);
}

/** Returns true for a canonical word: it names what is asked for and is not a value to filter by. */
export function isCanonical(word: string): boolean {
  return canonical.has(word);
}

/**
 * Returns the canonical word at each of `stems`. A phrase has its word at its first stem, and '' at the others. Unknown words stay as they
 * are.
 */
export function canon(stems: readonly string[]): string[] {
  const words: string[] = [];
  while (words.length < stems.length) {
    const at = words.length;
    const first = stems[at] ?? '';
    const found = phrases
      .get(first)
      ?.find((it) => it.stems.every((part, index) => stems[at + index] === part));
    if (found === undefined) words.push(first);
    else words.push(found.word, ...found.stems.slice(1).map(() => ''));
  }
  return words;
}

/** The canonical words of a text, without those that carry no meaning. `camelCase` and `snake_case` are read as words. */
export function terms(text: string): string[] {
  const apart = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  const words = fold(apart).match(/[\p{L}\p{N}]+/gu) ?? [];
  return canon(words.map(stem)).filter((word) => word !== '' && !isStop(word));
}
