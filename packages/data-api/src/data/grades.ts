import * as Prng from './prng.ts';
import type { Role } from './roles.ts';

/** A step of a career ladder: the title at that step, its years of experience and its level. */
export type Grade = { title(role: Role): string; seniority: string; level: string; weight: number };

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

/** The steps of each career ladder with their weights. */
export const ladders: Readonly<Record<Role['ladder'], readonly Grade[]>> = { office, trade };

const weighted = (grades: readonly Grade[]) => Prng.weighted(grades, (grade) => grade.weight);
const draw = { office: weighted(office), trade: weighted(trade) };
const bySeniority = (grades: readonly Grade[]) =>
  new Map(
    [...Map.groupBy(grades, (grade) => grade.seniority)].map(([years, some]) => [years, weighted(some)]),
  );
const byYears = { office: bySeniority(office), trade: bySeniority(trade) };

export type Graded = { title: string; seniority: string; level: string };

/** Draws a step for a role. */
export function graded(prng: Prng.Prng, role: Role): Graded {
  return atGrade(draw[role.ladder](prng), role);
}

/** Draws a step for a role after `years` of experience. */
export function after(prng: Prng.Prng, role: Role, years: number): Graded {
  return atGrade((byYears[role.ladder].get(seniorityOf(years)) ?? draw[role.ladder])(prng), role);
}

function atGrade(grade: Grade, role: Role): Graded {
  return { title: grade.title(role), seniority: grade.seniority, level: grade.level };
}

function seniorityOf(years: number): string {
  return years < 2 ? '0-2' : years < 5 ? '2-5' : years < 10 ? '5-10' : '10+';
}

const chiefs = [
  'Chief Executive Officer',
  'CEO',
  'Managing Director',
  'Chief Technology Officer',
  'CTO',
  'Chief Financial Officer',
  'Chief Operating Officer',
  'Chief Marketing Officer',
];
const owners = ['Owner', 'Founder', 'Managing Director', 'Independent Consultant'];
const founders = ['Founder & CEO', 'Co-Founder & CEO', 'Founder'];
/** Companies older than this in years are no longer led by their founders. */
const foundersYearsMax = 28;
/** From this headcount on, a company is no longer led by its founder. */
const foundersEmployeesMax = 2_000;

/** Draws a title for the head of a company. Only heads of young and small companies are founders. */
export function chief(
  prng: Prng.Prng,
  employees: number,
  companyYears: number,
): { title: string; isFounder: boolean } {
  const isYoung = companyYears <= foundersYearsMax;
  if (employees === 1) {
    const title = Prng.pick(prng, isYoung ? owners : owners.filter((each) => each !== 'Founder'));
    return { title, isFounder: title === 'Founder' };
  }
  const isFounder = isYoung && employees <= foundersEmployeesMax && Prng.chance(prng, 0.4);
  return { title: Prng.pick(prng, isFounder ? founders : chiefs), isFounder };
}
