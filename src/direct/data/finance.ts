import type { CompanyEntry } from '../entries/company.ts';
import * as Prng from './prng.ts';

/** What a company turns over, is visited for, spends and has raised. */
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

/** Rounds in the order of a company's life, with their usual size in millions of US dollars. */
const rounds = [
  { type: 'Pre seed', millions: 0.4 },
  { type: 'Seed', millions: 1.8 },
  { type: 'Series A', millions: 9 },
  { type: 'Series B', millions: 24 },
  { type: 'Series C', millions: 55 },
  { type: 'Series D', millions: 110 },
  { type: 'Series E-J', millions: 210 },
];
const otherRounds = [
  { type: 'Series unknown', millions: 6 },
  { type: 'Grant', millions: 0.6 },
  { type: 'Angel', millions: 0.3 },
  { type: 'Private equity', millions: 40 },
  { type: 'Debt financing', millions: 15 },
  { type: 'Non equity assistance', millions: 0.1 },
  { type: 'Post IPO equity', millions: 120 },
  { type: 'Undisclosed', millions: 3 },
  { type: 'Post IPO debt', millions: 200 },
  { type: 'Product crowdfunding', millions: 0.2 },
  { type: 'Equity crowdfunding', millions: 0.9 },
  { type: 'Corporate round', millions: 12 },
  { type: 'Convertible note', millions: 1.1 },
  { type: 'Secondary market', millions: 30 },
  { type: 'Initial coin offering', millions: 8 },
  { type: 'Post IPO secondary', millions: 90 },
];

const investorNames =
  'Alderpoint Bellweather Cairnfield Driftline Eastmark Fjordhaven Greyfen Harborlight Inkwell Jackdaw Kitewing Lowtide Millrace Northlea Oxbow Pinecrest Quaymark Ridgefield Saltgrass Thornbury Underhill Vantry Wexcombe Yewtree';
const investorTails = ['Ventures', 'Capital', 'Partners', 'Growth', 'Seed Fund', 'Equity'];
const investors = investorNames.split(' ').flatMap((name) => investorTails.map((tail) => `${name} ${tail}`));

export const unknown: Finance = {
  revenue: null,
  web_traffic: null,
  ad_spend: null,
  total_funding: null,
  last_funding_amount: null,
  last_funding_year: null,
  last_funding_type: null,
  lead_investors: [],
};

/** As an outsider knows it: much is missing, more so of small companies. */
export function draw(
  prng: Prng.Prng,
  employees: number,
  { founded, isYoung, thisYear }: { founded: number; isYoung: boolean; thisYear: number },
): Finance {
  const isKnown = Prng.chance(prng, employees > 50 ? 0.85 : 0.5);
  const visits = Math.round(employees * (30 + 900 * prng() ** 3)) + Prng.between(prng, 40, 900);
  return {
    ...unknown,
    revenue: isKnown ? rounded(employees * (60_000 + 240_000 * prng())) : null,
    web_traffic: Prng.chance(prng, 0.7) ? visits : null,
    ad_spend: Prng.chance(prng, 0.35) ? rounded(visits * (0.02 + 0.4 * prng())) : null,
    ...(Prng.chance(prng, isYoung ? 0.45 : 0.09) && funding(prng, employees, founded, thisYear)),
  };
}

function funding(prng: Prng.Prng, employees: number, founded: number, thisYear: number): Partial<Finance> {
  const stage = Math.min(rounds.length - 1, Math.floor(Math.log10(employees + 1) * 2 * (0.5 + prng())));
  const round = Prng.chance(prng, 0.72) ? rounds[stage] : Prng.pick(prng, otherRounds);
  if (!round) return {};
  const amount = rounded(round.millions * 1_000_000 * (0.5 + 1.4 * prng()));
  const earlier = Array.from({ length: stage }, (_, at) => (rounds[at]?.millions ?? 0) * 1_000_000);
  const year = Math.max(founded, thisYear - Math.floor(9 * prng() ** 1.6));
  return {
    total_funding: rounded(amount + earlier.reduce((sum, part) => sum + part * (0.6 + 0.8 * prng()), 0)),
    last_funding_amount: Prng.chance(prng, 0.88) ? amount : null,
    last_funding_year: year,
    last_funding_type: round.type,
    lead_investors: Prng.chance(prng, 0.8) ? Prng.sample(prng, investors, Prng.between(prng, 1, 3)) : [],
  };
}

/** To three digits, as such figures are told. */
function rounded(amount: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, amount))) - 2);
  return Math.round(amount / unit) * unit;
}
