/**
 * Values that the service takes, exact and case-sensitive. Each type also accepts any other string, because the service may know
 * newer values. It refuses a wrong value and names the nearest valid one.
 */
type Later = string & {};

/** Headcount of a company. */
export type SizeBand =
  | '1-10'
  | '11-50'
  | '51-200'
  | '201-500'
  | '501-1000'
  | '1001-5000'
  | '5001-10000'
  | '10001+'
  | Later;

/** Ownership of a company. */
export type CompanyType =
  | 'Educational'
  | 'Educational Institution'
  | 'Government Agency'
  | 'Nonprofit'
  | 'Partnership'
  | 'Privately Held'
  | 'Public Company'
  | 'Self-Employed'
  | 'Self-Owned'
  | 'Sole Proprietorship'
  | Later;

/** The last round of funding. */
export type FundingType =
  | 'Series unknown'
  | 'Pre seed'
  | 'Seed'
  | 'Series A'
  | 'Series B'
  | 'Series C'
  | 'Series D'
  | 'Series E-J'
  | 'Grant'
  | 'Angel'
  | 'Private equity'
  | 'Debt financing'
  | 'Non equity assistance'
  | 'Post IPO equity'
  | 'Undisclosed'
  | 'Post IPO debt'
  | 'Product crowdfunding'
  | 'Equity crowdfunding'
  | 'Corporate round'
  | 'Convertible note'
  | 'Secondary market'
  | 'Initial coin offering'
  | 'Post IPO secondary'
  | Later;

/** Rank of a position. */
export type JobLevel = 'C-Team' | 'Director' | 'Manager' | 'Other' | 'Staff' | 'VP' | Later;

/** Field of a position. */
export type JobFunction =
  | 'Advertising & Marketing'
  | 'Art, Culture and Creative Professionals'
  | 'Construction'
  | 'Customer/Client Service'
  | 'Education'
  | 'Engineering'
  | 'Finance & Accounting'
  | 'General Business & Management'
  | 'Healthcare & Human Services'
  | 'Human Resources'
  | 'Information Technology'
  | 'Legal'
  | 'Manufacturing & Production'
  | 'Operations'
  | 'Other'
  | 'Public Administration & Safety'
  | 'Purchasing'
  | 'Research & Development'
  | 'Sales & Business Development'
  | 'Science'
  | 'Supply Chain & Logistics'
  | 'Writing/Editing'
  | Later;

/** Years of experience that a posting asks for. */
export type Seniority = '0-2' | '2-5' | '5-10' | '10+' | Later;

/** Kind of contract of a posting. */
export type EmploymentType =
  | 'FULL_TIME'
  | 'PART_TIME'
  | 'CONTRACTOR'
  | 'TEMPORARY'
  | 'INTERN'
  | 'VOLUNTEER'
  | 'PER_DIEM'
  | 'OTHER'
  | Later;

/** Work arrangement of a posting: on site, hybrid or remote. */
export type WorkArrangement = 'On-site' | 'Hybrid' | 'Remote OK' | 'Remote Solely' | Later;

/** A continent. */
export type Continent =
  | 'Africa'
  | 'Antarctica'
  | 'Asia'
  | 'Europe'
  | 'North America'
  | 'Oceania'
  | 'South America'
  | Later;

/** A sales region. */
export type SalesRegion = 'NORAM' | 'LATAM' | 'EMEA' | 'APAC' | Later;
