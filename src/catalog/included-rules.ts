import * as Money from '@sluice/kernel/money';
import * as SourceLocation from './source-location.ts';

/** The most dollars that a plan includes. Worth and units are multiplied exactly below it. */
const includedUsdMax = 1_000_000;

/** Checks that a trial or subscription includes either units or dollars. Skips values that the schema rejects. */
export function checkIncluded(plan: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const kind = SourceLocation.member(plan, 'kind').value;
  if (kind !== 'trial' && kind !== 'subscription') return [];
  const [units, dollars] = [key(plan, 'included'), key(plan, 'included_usd')];
  const [moreUnits, moreDollars] = [
    key(plan, 'included_when_claimed'),
    key(plan, 'included_usd_when_claimed'),
  ];
  return [
    ...(units.value === undefined && dollars.value === undefined ? [missing(units, kind)] : []),
    ...exclusive(dollars, units, 'a plan includes either units or dollars: remove one of the two'),
    ...exclusive(
      moreUnits,
      dollars,
      'a trial that includes dollars gives more of them: write included_usd_when_claimed',
    ),
    ...exclusive(
      moreDollars,
      units,
      'a trial that includes units gives more of them: write included_when_claimed',
    ),
    ...amount(dollars, false),
    ...amount(moreDollars, true),
    ...trialLimits(plan, units, dollars),
  ];
}

/** Checks the hourly limit and the facts of `once_per`. */
function trialLimits(
  plan: SourceLocation.LocatedValue,
  units: SourceLocation.LocatedValue,
  dollars: SourceLocation.LocatedValue,
): SourceLocation.Finding[] {
  const [unitsPerHour, dollarsPerHour] = [key(plan, 'all_per_hour'), key(plan, 'all_usd_per_hour')];
  const oncePer = key(plan, 'once_per');
  const facts: unknown[] = Array.isArray(oncePer.value) ? oncePer.value : [];
  return [
    ...exclusive(unitsPerHour, dollars, 'a trial of dollars is limited in dollars: write all_usd_per_hour'),
    ...exclusive(dollarsPerHour, units, 'a trial of units is limited in units: write all_per_hour'),
    ...amount(dollarsPerHour, false),
    ...(facts.includes('card') && facts.includes('address')
      ? [
          {
            path: oncePer.path,
            reason:
              'once_per has card and address: a card is known after its payment, when there is no network address to check. Remove one of the two',
          },
        ]
      : []),
  ];
}

const key = SourceLocation.member;

/** The schema fills in 0 for `included_when_claimed`. */
function isAbsent({ value }: SourceLocation.LocatedValue): boolean {
  return value === undefined || value === 0;
}

function missing(units: SourceLocation.LocatedValue, kind: string): SourceLocation.Finding {
  const what = kind === 'trial' ? 'free units of every new account' : 'units in each period';
  return { path: units.path, reason: `included is missing: ${what}, or dollars as included_usd` };
}

function exclusive(
  place: SourceLocation.LocatedValue,
  other: SourceLocation.LocatedValue,
  fix: string,
): SourceLocation.Finding[] {
  if (isAbsent(place) || isAbsent(other)) return [];
  const names = [place, other].map(({ path }) => SourceLocation.name(path));
  return [{ path: place.path, reason: `${names[0]} cannot be used with ${names[1]}: ${fix}` }];
}

function amount(place: SourceLocation.LocatedValue, mayBeZero: boolean): SourceLocation.Finding[] {
  const text = SourceLocation.text(place);
  if (text === null || !/^\d{1,10}(\.\d{1,6})?$/.test(text)) return [];
  const says = `${SourceLocation.name(place.path)} "${text}"`;
  const money = Money.parse(text);
  if (money === null || money > includedUsdMax * 1_000_000)
    return [{ path: place.path, reason: `${says} is above ${includedUsdMax} USD: lower it` }];
  if (money === 0 && !mayBeZero)
    return [{ path: place.path, reason: `${says} includes nothing: write an amount above 0` }];
  return [];
}
