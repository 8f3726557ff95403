import type { CompanyEntry } from '../entries/company.ts';
import * as Prng from './prng.ts';
import * as SizeClasses from './size-classes.ts';

/** Revenue, web traffic, ad spend and funding of a company. */
export type Finance = Pick<
  CompanyEntry,
  | 'revenue'
  | 'web_traffic'
  | 'ad_spend'
  | 'total_funding'
  | 'last_funding_amount'
  | 'last_funding_year'
  | 'last_funding_type'
  | 'lead_investors'
>;

/** Funding rounds in chronological order, with their typical size in millions of US dollars. */
const rounds = [
  { type: 'Pre seed', millions: 0.4 },
  { type: 'Seed', millions: 1.8 },
  { type: 'Series A', millions: 9 },
  { type: 'Series B', millions: 24 },
  { type: 'Series C', millions: 55 },
  { type: 'Series D', millions: 110 },
  { type: 'Series E-J', millions: 210 },
];
/** Rounds outside that order, and the headcount from and up to which companies raise them. */
const otherRounds = [
  { type: 'Angel', millions: 0.3, from: 1, to: 50 },
  { type: 'Non equity assistance', millions: 0.1, from: 1, to: 50 },
  { type: 'Product crowdfunding', millions: 0.2, from: 1, to: 200 },
  { type: 'Equity crowdfunding', millions: 0.9, from: 5, to: 200 },
  { type: 'Convertible note', millions: 1.1, from: 1, to: 500 },
  { type: 'Grant', millions: 0.6, from: 1, to: 1_000 },
  { type: 'Undisclosed', millions: 3, from: 5, to: 5_000 },
  { type: 'Series unknown', millions: 6, from: 11, to: 5_000 },
  { type: 'Initial coin offering', millions: 8, from: 11, to: 200 },
  { type: 'Corporate round', millions: 12, from: 11, to: 60_000 },
  { type: 'Debt financing', millions: 15, from: 51, to: 60_000 },
  { type: 'Secondary market', millions: 30, from: 201, to: 60_000 },
  { type: 'Private equity', millions: 40, from: 51, to: 60_000 },
];
/** Rounds of public companies. */
const publicRounds = [
  { type: 'Post IPO equity', millions: 120 },
  { type: 'Post IPO debt', millions: 200 },
  { type: 'Post IPO secondary', millions: 90 },
];
const grant = { type: 'Grant', millions: 0.6 };
/** Ownership types that do not raise money from investors. */
const withoutInvestors = [
  'Self-Employed',
  'Self-Owned',
  'Sole Proprietorship',
  'Partnership',
  'Government Agency',
];
/** Companies younger than this raise money more often. */
const youngYears = 15;

const investorNames =
  'Alderpoint Bellweather Cairnfield Driftline Eastmark Fjordhaven Greyfen Harborlight Inkwell Jackdaw Kitewing Lowtide Millrace Northlea Oxbow Pinecrest Quaymark Ridgefield Saltgrass Thornbury Underhill Vantry Wexcombe Yewtree';
const investorTails = ['Ventures', 'Capital', 'Partners', 'Growth', 'Seed Fund', 'Equity'];
const investors = investorNames.split(' ').flatMap((name) => investorTails.map((tail) => `${name} ${tail}`));

const unknown: Finance = {
  revenue: null,
  web_traffic: null,
  ad_spend: null,
  total_funding: null,
  last_funding_amount: null,
  last_funding_year: null,
  last_funding_type: null,
  lead_investors: [],
};

export type Owner = { employees: number; type: string; founded: number; thisYear: number };

/** Draws financial data that agree with size, age and ownership. Many fields are missing, more for small companies. */
export function draw(prng: Prng.Prng, owner: Owner): Finance {
  const { employees, type, founded, thisYear } = owner;
  const isKnown = Prng.chance(prng, employees > 50 ? 0.85 : 0.5);
  const visits = Math.round(employees * (30 + 900 * prng() ** 3)) + Prng.between(prng, 40, 900);
  const isFunded = Prng.chance(prng, thisYear - founded < youngYears ? 0.45 : 0.09);
  return {
    ...unknown,
    revenue: isKnown ? rounded(employees * (60_000 + 240_000 * prng())) : null,
    web_traffic: Prng.chance(prng, 0.7) ? visits : null,
    ad_spend: Prng.chance(prng, 0.35) ? rounded(visits * (0.02 + 0.4 * prng())) : null,
    ...(isFunded && !withoutInvestors.includes(type) && funding(prng, owner)),
  };
}

function funding(prng: Prng.Prng, owner: Owner): Partial<Finance> {
  const { employees, founded, thisYear } = owner;
  const [first, last] = SizeClasses.classOf(employees).stages;
  // A company raises at most one round a year.
  const stage = Math.min(thisYear - founded, Prng.between(prng, first, last));
  const round = roundOf(prng, owner, stage);
  const amount = rounded(round.millions * 1_000_000 * (0.5 + 1.4 * prng()));
  const earlier = rounds.slice(0, round === grant ? 0 : stage).map(({ millions }) => millions * 1_000_000);
  const year = Math.max(founded + stage, thisYear - Math.floor(9 * prng() ** 1.6));
  return {
    total_funding: rounded(amount + earlier.reduce((sum, part) => sum + part * (0.6 + 0.8 * prng()), 0)),
    last_funding_amount: Prng.chance(prng, 0.88) ? amount : null,
    last_funding_year: year,
    last_funding_type: round.type,
    lead_investors: Prng.chance(prng, 0.8) ? Prng.sample(prng, investors, Prng.between(prng, 1, 3)) : [],
  };
}

function roundOf(
  prng: Prng.Prng,
  { type, employees }: Owner,
  stage: number,
): { type: string; millions: number } {
  if (type === 'Nonprofit') return grant;
  if (type === 'Public Company') return Prng.pick(prng, publicRounds);
  const inOrder = rounds[stage];
  if (inOrder && Prng.chance(prng, 0.72)) return inOrder;
  return Prng.pick(
    prng,
    otherRounds.filter(({ from, to }) => from <= employees && employees <= to),
  );
}

/** Rounds to three significant digits. */
function rounded(amount: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, amount))) - 2);
  return Math.round(amount / unit) * unit;
}
