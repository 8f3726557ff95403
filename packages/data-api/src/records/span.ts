import * as Schema from '../schema/schema.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A date in profiles: `{year: 2023, month: 'Apr'}`. */
export const partialDate = Schema.ifKnown(
  Schema.named(
    'PartialDate',
    Schema.object({ year: Schema.integer(0, 9_999), month: Schema.ifKnown(Schema.text()) }),
  ),
);
type Day = string | null | undefined;

export function toPartialDate(day: Day): Schema.Value<typeof partialDate> {
  if (!day) return undefined;
  return { year: Number(day.slice(0, 4)), month: months[Number(day.slice(5, 7)) - 1] };
}

/** Formats `2023-04-17` as `Apr 2023`. */
export function monthOf(day: string): string {
  return `${months[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;
}

/** Date in UTC as `YYYY-MM-DD`. */
export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Formats a duration as `2 yrs 3 mos`, including the first and last month. Undefined without both days in order. */
export function duration(start: Day, end: Day): string | undefined {
  if (!start || !end || end < start) return undefined;
  const span = monthsSince0(end) - monthsSince0(start) + 1;
  const [years, rest] = [Math.floor(span / 12), span % 12];
  const said = [years > 0 ? counted(years, 'yr') : '', rest > 0 ? counted(rest, 'mo') : ''];
  return said.filter((part) => part).join(' ');
}

function monthsSince0(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
