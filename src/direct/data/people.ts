import type { SampleCompany } from './company.ts';
import * as Grades from './grades.ts';
import * as Names from './names.ts';
import * as Places from './places.ts';
import * as Prng from './prng.ts';
import * as Roles from './roles.ts';

/** A made-up person and the position held now. */
export type SamplePerson = {
  id: number;
  companyId: number;
  firstName: string;
  lastName: string;
  title: string;
  jobLevel: string | null;
  jobFunction: string | null;
  city: string | null;
  countryCode: string | null;
};

const countryUnknown = 0.03;
const functionUnknown = 0.08;

/** About `count` people: the whole staff of known companies that are not large, and of all others a part. */
export function* people(
  seed: number,
  companies: readonly SampleCompany[],
  count: number,
): Generator<SamplePerson> {
  const prng = Prng.create(seed, 3);
  const wholeStaff = (company: SampleCompany) => company.fixedJobs !== null && company.employees < 500;
  const fixed = companies.reduce((sum, company) => sum + (wholeStaff(company) ? company.employees : 0), 0);
  const weightOf = (company: SampleCompany) => (wholeStaff(company) ? 0 : company.employees ** 0.45);
  const weight = companies.reduce((sum, company) => sum + weightOf(company), 0);
  let id = 1;
  let owed = 0;
  for (const company of companies) {
    owed += (weightOf(company) / Math.max(weight, 1)) * Math.max(0, count - fixed);
    const share = wholeStaff(company) ? company.employees : Math.min(company.employees, Math.floor(owed));
    if (!wholeStaff(company)) owed -= share;
    for (let made = 0; made < share; made++) yield person(prng, company, id++, made === 0);
  }
}

function person(prng: Prng.Prng, company: SampleCompany, id: number, isChief: boolean): SamplePerson {
  const office = Prng.chance(prng, 0.55) ? company.offices[0] : Prng.pick(prng, company.offices);
  const place = office ?? Places.anywhere(prng);
  const name = Names.person(prng, place.country);
  const located = !Prng.chance(prng, countryUnknown);
  return {
    id,
    companyId: company.id,
    firstName: name.first,
    lastName: name.last,
    ...position(prng, company, isChief),
    city: located ? place.city : null,
    countryCode: located ? place.country : null,
  };
}

function position(prng: Prng.Prng, company: SampleCompany, isChief: boolean) {
  if (isChief) {
    const { title, jobFunction } = Grades.chief(prng);
    return { title, jobLevel: 'C-Team', jobFunction };
  }
  const role = Roles.of(prng, Prng.pick(prng, company.sector.families));
  const { title, level } = Grades.graded(prng, role);
  const isTold = !Prng.chance(prng, functionUnknown);
  return { title, jobLevel: isTold ? level : null, jobFunction: isTold ? role.function : null };
}
