import type * as Sample from '../../src/data/sample.ts';
import * as SizeClasses from '../../src/data/size-classes.ts';
import { type CompanyEntry, sizeOf } from '../../src/entries/company.ts';
import type { JobEntry } from '../../src/entries/job.ts';
import { currentPosition, type PersonEntry } from '../../src/entries/person.ts';

const singlePersonTypes = Object.keys(SizeClasses.singlePersonTypes);
const careerYearsMax = 45;
const publicFunding = /^Post IPO/;

/** Lists what is implausible in a sample: one line for each row and rule. Empty for a believable sample. */
export function findings(sample: Sample.Sample, todayMs: number): string[] {
  const found: string[] = [];
  const companies = [...sample.companies];
  const people = [...sample.people];
  const staff = Map.groupBy(people, (person) => currentPosition(person)?.company_network_url ?? null);
  const byUrl = new Map(companies.map((company) => [company.network_url, company]));
  const jobs = Map.groupBy(sample.jobs, (job) => job.company_network_url);
  const today = new Date(todayMs).toISOString().slice(0, 10);
  const report = (about: string) => (rule: string, holds: boolean) => {
    if (!holds) found.push(`${about}: ${rule}`);
  };
  for (const company of companies) {
    const check = report(company.network_url);
    companyFindings(company, Number(today.slice(0, 4)), check);
    figureFindings(company, staff.get(company.network_url) ?? [], check);
    jobFindings(company, jobs.get(company.network_url) ?? [], today, check);
  }
  for (const person of people) careerFindings(person, byUrl, today, report(person.network_url));
  return found;
}

type Check = (rule: string, holds: boolean) => void;

function companyFindings(company: CompanyEntry, thisYear: number, check: Check): void {
  const { type, founded_year: founded, last_funding_year: funded, last_funding_type: round } = company;
  const employees = company.employees_on_network ?? 0;
  const { age, size } = SizeClasses.classOf(employees);
  check('its size is that of its headcount', sizeOf(company) === size);
  const isForOne = type === 'Self-Employed' || (type !== null && !ownsMore(type));
  check(`one employee is the most of ${type}`, !isForOne || employees === 1);
  if (founded !== null) {
    check('it is old enough for its size', thisYear - founded >= age.min);
    check('money was raised after the foundation', funded === null || funded >= founded);
    check(
      'its description names the year',
      company.about === null || company.about.includes(String(founded)),
    );
  }
  check('money was raised in the past', funded === null || funded <= thisYear);
  check(
    'all funding is at least the last',
    (company.total_funding ?? 0) >= (company.last_funding_amount ?? 0),
  );
  const isPublic = publicFunding.test(round ?? '');
  check(
    'only public companies raise money after an IPO',
    !isPublic || type === null || type === 'Public Company',
  );
  check(
    'the self-employed raise no money',
    employees !== 1 || !singlePersonTypes.includes(type ?? '') || type === 'Privately Held' || round === null,
  );
  const { revenue, ad_spend: adSpend } = company;
  check('ads cost less than a third of the revenue', !revenue || (adSpend ?? 0) * 12 <= revenue / 3);
  check(
    'revenue per employee is plausible',
    !revenue || (revenue / employees >= 50_000 && revenue / employees <= 400_000),
  );
}

/** Returns true if companies of that type can have more than one employee. */
function ownsMore(type: string): boolean {
  return (
    !singlePersonTypes.includes(type) || SizeClasses.sizeClasses.some(({ types }) => (types[type] ?? 0) > 0)
  );
}

function figureFindings(company: CompanyEntry, staff: readonly PersonEntry[], check: Check): void {
  const employees = company.employees_on_network ?? 0;
  check('no more people than employees', staff.length <= employees);
  for (const [figures, labelOf] of [
    [
      labelled(company.employees_by_country, 'country_code'),
      (person: PersonEntry) => person.location?.country_code ?? null,
    ],
    [labelled(company.employees_by_department, 'department'), (person: PersonEntry) => person.job_function],
  ] as const) {
    check(
      'it has figures unless all of its people are stored',
      (figures === null) === (staff.length === employees),
    );
    if (figures === null) continue;
    const sum = [...figures.values()].reduce((total, count) => total + count, 0);
    check('its figures add up to its headcount', sum === employees);
    for (const [label, some] of Map.groupBy(staff, labelOf))
      check(`no more people than the figure of ${label}`, some.length <= (figures.get(label) ?? 0));
  }
}

function labelled<K extends string>(
  figures: readonly ({ count: number } & Record<K, string | null>)[] | null,
  label: K,
): Map<string | null, number> | null {
  return figures && new Map(figures.map((figure) => [figure[label], figure.count]));
}

function jobFindings(company: CompanyEntry, jobs: readonly JobEntry[], today: string, check: Check): void {
  const employees = company.employees_on_network ?? 0;
  check('postings for at most a third of its employees', jobs.length <= employees / 3);
  for (const { posted_at: postedAt, company_name: name } of jobs) {
    check('its postings carry its name', name === company.name);
    check(
      'its postings were made after the foundation',
      Number(postedAt.slice(0, 4)) >= (company.founded_year ?? 0),
    );
    check('its postings are not from the future', Date.parse(postedAt) <= Date.parse(today));
  }
}

function careerFindings(
  { experiences, education }: PersonEntry,
  companies: ReadonlyMap<string, CompanyEntry>,
  today: string,
  check: Check,
): void {
  const firstJob = experiences.map((each) => each.job_start_date ?? today).sort()[0] ?? today;
  const lastJob = experiences[0]?.job_end_date ?? today;
  check('the career is not too long', years(firstJob, lastJob) <= careerYearsMax);
  for (const { end_date: end } of education ?? [])
    check('the first job came after the education', end !== null && end <= firstJob);
  for (const position of experiences) {
    const company = companies.get(position.company_network_url ?? '');
    const start = position.job_start_date ?? today;
    if (!company) continue;
    const founded = company.founded_year ?? 0;
    check('positions begin after the foundation', Number(start.slice(0, 4)) >= founded);
    check(
      'one person at most has worked for a company of one',
      company.employees_on_network !== 1 || position === experiences[0],
    );
    if (/Founder/.test(position.job_title ?? '') && company.founded_year !== null)
      check('founders began in the first year', Number(start.slice(0, 4)) === founded);
  }
}

function years(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / (365.25 * 86_400_000);
}
