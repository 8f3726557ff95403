import * as Prng from './prng.ts';
import type { Role } from './roles.ts';

/** A step of a career: how it changes a title, and the years and the level that it stands for. */
type Grade = { title(role: Role): string; seniority: string; level: string; weight: number };

const plain = (prefix: string) => (role: Role) => `${prefix}${role.title}`;
const nounOf = (role: Role) => role.field.replace(' & ', ' and ');

const office: readonly Grade[] = [
  { title: (role) => `${role.title} Intern`, seniority: '0-2', level: 'Other', weight: 5 },
  { title: plain('Junior '), seniority: '0-2', level: 'Staff', weight: 10 },
  { title: plain(''), seniority: '0-2', level: 'Staff', weight: 10 },
  { title: plain(''), seniority: '2-5', level: 'Staff', weight: 32 },
  { title: plain('Senior '), seniority: '5-10', level: 'Staff', weight: 22 },
  { title: plain('Lead '), seniority: '5-10', level: 'Manager', weight: 8 },
  { title: plain('Principal '), seniority: '10+', level: 'Staff', weight: 4 },
  { title: (role) => `Head of ${nounOf(role)}`, seniority: '10+', level: 'Director', weight: 4 },
  { title: (role) => `Director of ${nounOf(role)}`, seniority: '10+', level: 'Director', weight: 3 },
  { title: (role) => `VP of ${nounOf(role)}`, seniority: '10+', level: 'VP', weight: 2 },
];
const trade: readonly Grade[] = [
  { title: (role) => `${role.title} Apprentice`, seniority: '0-2', level: 'Other', weight: 5 },
  { title: plain(''), seniority: '0-2', level: 'Staff', weight: 30 },
  { title: plain(''), seniority: '2-5', level: 'Staff', weight: 40 },
  { title: plain('Senior '), seniority: '5-10', level: 'Staff', weight: 17 },
  { title: plain('Lead '), seniority: '5-10', level: 'Manager', weight: 8 },
];

const weighted = (grades: readonly Grade[]) => Prng.weighted(grades, (grade) => grade.weight);
const draw = { office: weighted(office), trade: weighted(trade) };
const bySeniority = (grades: readonly Grade[]) =>
  new Map(
    [...Map.groupBy(grades, (grade) => grade.seniority)].map(([years, some]) => [years, weighted(some)]),
  );
const byYears = { office: bySeniority(office), trade: bySeniority(trade) };

export type Graded = { title: string; seniority: string; level: string };

/** The role at some step of a career. */
export function graded(prng: Prng.Prng, role: Role): Graded {
  return told(draw[role.ladder](prng), role);
}

/** The role as it is held after so many years of work. */
export function after(prng: Prng.Prng, role: Role, years: number): Graded {
  return told((byYears[role.ladder].get(seniorityOf(years)) ?? draw[role.ladder])(prng), role);
}

function told(grade: Grade, role: Role): Graded {
  return { title: grade.title(role), seniority: grade.seniority, level: grade.level };
}

function seniorityOf(years: number): string {
  return years < 2 ? '0-2' : years < 5 ? '2-5' : years < 10 ? '5-10' : '10+';
}

const chiefs = [
  ['Chief Executive Officer', 'General Business & Management'],
  ['Founder & CEO', 'General Business & Management'],
  ['CEO', 'General Business & Management'],
  ['Chief Technology Officer', 'Engineering'],
  ['CTO', 'Engineering'],
  ['Chief Financial Officer', 'Finance & Accounting'],
  ['Chief Operating Officer', 'Operations'],
  ['Chief Marketing Officer', 'Advertising & Marketing'],
] as const;

/** An office at the top of a company. */
export function chief(prng: Prng.Prng): { title: string; jobFunction: string } {
  const [title, jobFunction] = Prng.pick(prng, chiefs);
  return { title, jobFunction };
}
