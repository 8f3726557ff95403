import type { PersonEntry } from '../entries/person.ts';
import type { Life } from './career.ts';
import type { SchoolExtras } from './extras.ts';
import * as Prng from './prng.ts';

/** An education entry without the fields of `extras.ts`. */
type Education = Omit<NonNullable<PersonEntry['education']>[number], keyof SchoolExtras> & {
  school_name: string;
};
type Certification = NonNullable<PersonEntry['certifications']>[number];

/** Fields of study by job function. */
const fieldsOfStudy: Readonly<Record<string, readonly string[]>> = {
  Engineering: [
    'Computer Science',
    'Software Engineering',
    'Mechanical Engineering',
    'Electrical Engineering',
  ],
  'Information Technology': ['Information Systems', 'Computer Science', 'Statistics'],
  'Research & Development': ['Industrial Design', 'Computer Science', 'Economics'],
  'Art, Culture and Creative Professionals': ['Graphic Design', 'Interaction Design', 'Fine Arts'],
  'Sales & Business Development': ['Business Administration', 'Economics', 'Communication'],
  'Advertising & Marketing': ['Marketing', 'Communication', 'Psychology'],
  'Customer/Client Service': ['Business Administration', 'Languages', 'Communication'],
  'Finance & Accounting': ['Accounting', 'Finance', 'Economics', 'Mathematics'],
  'Human Resources': ['Psychology', 'Human Resource Management', 'Sociology'],
  Legal: ['Law', 'International Law'],
  Operations: ['Business Administration', 'Operations Management', 'Industrial Engineering'],
  'Supply Chain & Logistics': ['Logistics', 'Supply Chain Management'],
  Purchasing: ['Business Administration', 'Supply Chain Management'],
  'Manufacturing & Production': ['Mechatronics', 'Production Engineering', 'Agricultural Science'],
  Construction: ['Civil Engineering', 'Architecture'],
  Science: ['Biology', 'Chemistry', 'Biochemistry', 'Physics'],
  'Healthcare & Human Services': ['Nursing', 'Medicine', 'Public Health', 'Social Work'],
  Education: ['Education', 'Linguistics', 'History'],
  'Writing/Editing': ['Journalism', 'Literature', 'Media Studies'],
  'Public Administration & Safety': ['Public Administration', 'Political Science'],
};
const certificates = [
  ['Institute for Project Practice', 'Certified Project Lead'],
  ['Cloud Practitioners Board', 'Cloud Architect, Associate'],
  ['Guild of Data Professionals', 'Certified Data Analyst'],
  ['Institute for Project Practice', 'Agile Team Coach'],
  ['International Quality Register', 'Lead Auditor'],
  ['Board of Management Accountants', 'Chartered Management Accountant'],
  ['Safety at Work Council', 'Occupational Safety Specialist'],
  ['Open Security Alliance', 'Certified Security Engineer'],
  ['Academy of Commerce', 'Digital Marketing Professional'],
  ['Sales Excellence Forum', 'Consultative Selling'],
] as const;
const proficiencies = [
  'Native or bilingual proficiency',
  'Full professional proficiency',
  'Professional working proficiency',
  'Limited working proficiency',
  'Elementary proficiency',
];
const spoken: Readonly<Record<string, string>> = {
  ...spread('DE AT CH', 'German'),
  ...spread('FR BE LU', 'French'),
  ...spread('ES MX AR CL CO PE CR', 'Spanish'),
  ...spread('BR PT', 'Portuguese'),
  ...{ IT: 'Italian', NL: 'Dutch', DK: 'Danish', SE: 'Swedish', NO: 'Norwegian', FI: 'Finnish' },
  ...{ EE: 'Estonian', LV: 'Latvian', LT: 'Lithuanian', PL: 'Polish', CZ: 'Czech', HU: 'Hungarian' },
  ...{ RO: 'Romanian', BG: 'Bulgarian', GR: 'Greek', TR: 'Turkish', UA: 'Ukrainian', IL: 'Hebrew' },
  ...{ AE: 'Arabic', SA: 'Arabic', EG: 'Arabic', IN: 'Hindi', JP: 'Japanese', KR: 'Korean', TW: 'Mandarin' },
  ...{ HK: 'Cantonese', MY: 'Malay', ID: 'Indonesian', PH: 'Tagalog', TH: 'Thai', VN: 'Vietnamese' },
};
const further = ['Spanish', 'French', 'German', 'Portuguese', 'Mandarin', 'Italian', 'Arabic'];

/** Generates the education before the first position, the most recent first. */
export function education(prng: Prng.Prng, { positions, role, place }: Life): Education[] {
  const firstJob = new Date(firstStartMs(positions));
  const isAfterSummer = firstJob.getUTCMonth() >= 7;
  let end = firstJob.getUTCFullYear() - (isAfterSummer && Prng.chance(prng, 0.7) ? 0 : 1);
  const found: Education[] = [];
  const field = () => Prng.pick(prng, fieldsOfStudy[role.function] ?? ['Business Administration']);
  const study = (degree: string, years: number) => {
    const start_date = `${end - years}-09-01`;
    const school_name = school(prng, place.city);
    found.push({ school_name, degree, field_of_study: field(), start_date, end_date: `${end}-07-01` });
    end -= years;
  };
  if (role.ladder === 'trade' && Prng.chance(prng, 0.5)) {
    study('Vocational Diploma', 3);
    return found;
  }
  if (Prng.chance(prng, 0.04)) study('Doctor of Philosophy', 4);
  if (Prng.chance(prng, 0.36)) study(Prng.pick(prng, ['Master of Science', 'Master of Arts', 'MBA']), 2);
  study(Prng.pick(prng, ["Bachelor's degree", 'Bachelor of Science', 'Bachelor of Arts']), 3);
  return found;
}

export function certifications(prng: Prng.Prng, { positions }: Life): Certification[] {
  const since = firstStartMs(positions);
  const until = positions[0]?.startMs ?? since;
  return Prng.sample(prng, certificates, Prng.between(prng, 1, 2)).map(([authority, name]) => ({
    authority,
    name,
    url: Prng.chance(prng, 0.4)
      ? `https://certificates.example/${Prng.between(prng, 100_000, 999_999)}`
      : null,
    issued_date: new Date(since + (until - since) * prng()).toISOString().slice(0, 10),
  }));
}

export function languages(prng: Prng.Prng, country: string): NonNullable<PersonEntry['languages']> {
  const native = spoken[country] ?? 'English';
  const others = Prng.sample(prng, further, Prng.between(prng, 0, 2));
  return [...new Set([native, 'English', ...others])].map((language) => ({
    language,
    proficiency:
      language === native ? (proficiencies[0] ?? null) : Prng.pick(prng, [...proficiencies.slice(1), null]),
  }));
}

/** Start of the first position. The last one of the profile may be a sideline. */
function firstStartMs(positions: Life['positions']): number {
  return Math.min(...positions.map(({ startMs }) => startMs));
}

function school(prng: Prng.Prng, city: string): string {
  switch (Prng.between(prng, 1, 5)) {
    case 1:
      return `${city} Institute of Technology`;
    case 2:
      return `${city} Business School`;
    case 3:
      return `Technical University of ${city}`;
    default:
      return `University of ${city}`;
  }
}

function spread(countries: string, language: string): Record<string, string> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, language]));
}
