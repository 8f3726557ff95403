import { isStop } from './lexicon.ts';
import { singular } from './words.ts';

/** A word of a goal, as titles are read from it. */
type Word = { raw: string; folded: string; gap: string; taken: boolean };

const short = words('ceo cto cfo coo cmo cio ciso chro cpo cro cdo cso vp svp evp');
const ranked = words('head director chief president manager leader lead vp svp evp chair dean partner');
/** Nouns of people that end like no other, and levels. */
const roles = words(`
  accountant agent analyst architect assistant associate attorney barista captain cashier chef
  chemist clerk coach cofounder consultant counsel counselor dean dentist designer director doctor
  driver electrician executive expert founder head intern investor journalist judge lawyer leader
  manager marketer mechanic midwife nurse officer owner partner physician pilot plumber president
  principal producer professor programmer recruiter rep representative salesperson scientist
  secretary specialist student supervisor surgeon teacher technician therapist trader tutor
  veterinarian worker writer
`);
/** Ends of words that name people by what they do. */
const ending = /(?:[a-z]{3}(?:er|or|ist|ician|grapher|eer))$/;
/** Such words that name no people at work. */
const things = words(`
  after alter answer bakery behavior better bigger brewery broker brother butter buyer career
  carrier cater center chapter character cluster color competitor computer consumer container
  contractor corner counter cover customer december deliver discover distributor docker dollar door
  either employer enter error ever exist exterior father favor filter finder floor folder follower
  for former greater harbor her higher inner insurer interior junior labor larger later layer lender
  letter list lower major maker manufacturer master matter member minor monitor mother motor never
  newer newsletter nor november number october offer older order other outer over paper parameter
  per player poor power prefer prior producer provider publisher quarter rather register remember
  retailer river sector seller senior september server silver sister smaller subscriber summer super
  supplier theater tier together tower transfer under user utter vector vendor visitor water
  waterfall weather whether wholesaler winery winter year
`);
/** Words that can precede a title without being part of it. */
const notPart = words(`
  agencies agency best big biggest business called career chart cold companies company contact
  current currently decision direct email employ employing enough entry few find firm firms first
  former full hire hiring hybrid identify internship internships job jobs key large last latest
  least list live looking maker makers market mobile more most named need onsite open outreach part
  past phone position posted posting reach real recruit recruiting remote role search seeking sell
  several size small staffing than then time top vacancies vacancy various verified verify want work
  working
`);
const levels = words(
  'senior junior lead principal staff chief deputy assistant associate regional national global executive managing',
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

export type Title = { text: string; from: number; to: number };

/** The job titles that `words` name, each in the singular, with the words it takes: `Head of Sales`, `CTO`, `Data Engineer`. */
export function find(words: readonly Word[]): Title[] {
  const titles: Title[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.taken || !isRole(word.folded)) continue;
    const previous = titles.at(-1);
    const from = before(words, at, previous?.to ?? 0);
    const to = after(words, at);
    titles.push({ text: spell(words.slice(from, to)), from, to });
    at = to - 1;
  }
  return titles;
}

function isRole(folded: string): boolean {
  const one = singular(folded);
  if (short.has(one) || roles.has(one)) return true;
  return one.length > 5 && ending.test(one) && !things.has(one) && !isStop(one);
}

/** Back over the words that belong to the title: `senior data` engineer, `chief marketing` officer. */
function before(words: readonly Word[], at: number, floor: number): number {
  let from = at;
  while (from > floor && at - from < 4) {
    const word = words[from - 1];
    if (word === undefined || word.taken || !partOf(word) || /[,:;.!?()]/.test(words[from]?.gap ?? '')) break;
    from -= 1;
  }
  return from;
}

function partOf({ folded, raw }: Word): boolean {
  if (levels.has(folded) || folded === 'data' || raw === 'IT') return true;
  return !isStop(folded) && !notPart.has(folded) && !/^\d/.test(folded);
}

/** On over `of sales`, `of information technology`, and over what follows a rank without it: VP `Engineering`. */
function after(words: readonly Word[], at: number): number {
  const role = singular(words[at]?.folded ?? '');
  if (!ranked.has(role)) return at + 1;
  const of = words[at + 1];
  let to = of?.folded === 'of' && !of.taken ? at + 2 : at + 1;
  if (to === at + 1 && !/^(?:s|e)?vp$/.test(role)) return to;
  const start = to;
  while (to - start < 2) {
    const word = words[to];
    if (word === undefined || word.taken || !partOf(word) || isRole(word.folded)) break;
    if (/^(?:people|profiles|leads)$/.test(word.folded)) break;
    to += 1;
  }
  return to === start ? at + 1 : to;
}

/** The singular with capitals, as titles are written. */
function spell(words: readonly Word[]): string {
  return words
    .map(({ raw, folded }, index) => {
      if (folded === 'of') return 'of';
      const role =
        isRole(folded) || short.has(singular(folded)) || (index === 0 && ranked.has(singular(folded)));
      const one = role && /s$/i.test(raw) && singular(folded) !== folded ? raw.slice(0, -1) : raw;
      if (short.has(one.toLowerCase()) || /^(?:it|hr|ux|ui|qa|pr|ai|seo)$/i.test(one))
        return one.toUpperCase();
      return one.charAt(0).toUpperCase() + one.slice(1);
    })
    .join(' ');
}
