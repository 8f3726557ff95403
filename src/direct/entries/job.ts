import * as Enums from '../filters/enums.ts';
import * as Schema from '../schema/schema.ts';
import { companyLink } from './company.ts';
import * as Field from './field.ts';

/** A job posting as the owner of the data brings it. */
export const job = Schema.object({
  /** The number that its address ends in. */
  id: Schema.integer(1, Number.MAX_SAFE_INTEGER),
  company_network_url: companyLink,
  company_name: Field.line,
  title: Field.needed.line,
  field: Field.line,
  seniority: Field.choice(Enums.seniorities),
  employment_type: Field.choice(Enums.employmentTypes),
  work_arrangement: Field.choice(Enums.workArrangements),
  city: Field.line,
  country_code: Field.countryCode,
  posted_at: Field.moment,
  skills: Field.lines,
  /** Names under which the kind of work is classed. */
  taxonomies: Field.lines,
  description: Field.text,
  ai_summary: Field.text,
});
export type JobEntry = Schema.Value<typeof job>;

/** Hours from UTC that the posting's date is shown at: those it was given in, where they are whole. */
export function offsetHoursOf(postedAt: string): number {
  const [, sign, hours, minutes = '00'] = /([+-])(\d\d):?(\d\d)?$/.exec(postedAt) ?? [];
  if (hours === undefined || minutes !== '00') return 0;
  return sign === '-' ? -Number(hours) : Number(hours);
}
