/** All fields of section 2.3 of the requirement. */
export const requiredFields = [
  ...names(
    'basic_info',
    `fullname first_name last_name headline public_identifier profile_url profile_picture_url about urn
     location.country location.city location.full location.country_code
     creator_hashtags is_creator is_influencer is_premium open_to_work show_follower_count created_timestamp
     background_picture_url follower_count connection_count current_company current_company_urn
     current_company_url top_skills email`,
  ),
  ...names(
    'experience',
    `title company location description duration start_date.year start_date.month end_date.year end_date.month
     is_current company_network_url company_logo_url employment_type location_type company_id skills skills_url`,
  ),
  ...names(
    'education',
    `school degree degree_name field_of_study duration school_network_url school_logo_url start_date.year
     start_date.month end_date.year end_date.month school_id description activities`,
  ),
  ...names('certifications', 'name issuer issued_date'),
  ...names('languages', 'language proficiency'),
  ...names('what_matched', ''),
  'ranking',
  'icp',
];

function names(parent: string, text: string): string[] {
  return text
    .split(/\s+/)
    .filter((name) => name !== '')
    .map((name) => `${parent}.${name}`);
}

/** Adds the paths of all values that are known. */
export function fieldsOf(value: unknown, path: string, filled: Set<string>): void {
  if (value === null || (Array.isArray(value) && value.length === 0)) return;
  filled.add(path);
  if (typeof value !== 'object') return;
  for (const [name, child] of Object.entries(value)) {
    const isItem = Array.isArray(value);
    fieldsOf(child, isItem ? path : path === '' ? name : `${path}.${name}`, filled);
  }
}
