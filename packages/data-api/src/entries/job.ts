import * as Enums from '../filters/enums.ts';
import * as Schema from '../schema/schema.ts';
import { companyLink } from './company.ts';
import * as Field from './field.ts';

/** A job posting as imported. */
export const job = Schema.object({
  /** Number at the end of its URL. */
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
  /** Occupation categories. */
  taxonomies: Field.lines,
  description: Field.text,
  ai_summary: Field.text,
});
export type JobEntry = Schema.Value<typeof job>;

/** UTC offset in hours that the posting's date is shown in: the imported one, or 0 if it is not a whole number of hours. */
export function offsetHoursOf(postedAt: string): number {
  const [, sign, hours, minutes = '00'] = /([+-])(\d\d):?(\d\d)?$/.exec(postedAt) ?? [];
  if (hours === undefined || minutes !== '00') return 0;
  return sign === '-' ? -Number(hours) : Number(hours);
}
