-- The data set: companies, people, jobs and contacts. Each table has one partition per data-set version, so that a new
-- load becomes live in one step, while callers who page through the version before it are not disturbed.

create table direct.data_set_version (
  version integer primary key,
  -- Digest of the source of each kind. A load with the live digests is skipped.
  digests jsonb not null,
  -- The number of rows of each kind.
  counts jsonb not null,
  loaded_at timestamptz not null,
  live boolean not null,
  -- When another version became live. This one is dropped some time later.
  left_at timestamptz
);
create unique index data_set_version_live on direct.data_set_version (live) where live;

-- Ids follow the order of results: by employees, descending, then by network number.
create table direct.company (
  version integer not null,
  id integer not null,
  slug text not null,
  network_id bigint,
  name text not null,
  about text,
  specialties text[],
  industry text,
  type text,
  size text,
  employees_on_network integer,
  -- The company's own figures: [{"country_code", "count"}] and [{"department", "count"}].
  employees_by_country json,
  employees_by_department json,
  followers integer,
  founded_year integer,
  hq_city text,
  hq_state text,
  hq_country_code text,
  domain text,
  website text,
  email_domain text,
  other_domains text[] not null,
  is_agency boolean,
  revenue bigint,
  naics_codes text[] not null,
  sic_codes text[] not null,
  activities text[] not null,
  categories text[] not null,
  web_traffic bigint,
  ad_spend bigint,
  total_funding bigint,
  last_funding_amount bigint,
  last_funding_year integer,
  last_funding_type text,
  lead_investors text[] not null,
  search tsvector not null,
  primary key (version, id)
) partition by list (version);
alter table direct.company alter about set storage external, alter search set storage external;
create unique index company_slug on direct.company (version, slug);
create unique index company_network_id on direct.company (version, network_id) where network_id is not null;
-- Finds the id range of a headcount bound.
create index company_employees on direct.company (version, employees_on_network, id desc);
-- Numeric bounds are answered from the index alone.
create index company_followers on direct.company (version, followers, id);
create index company_revenue on direct.company (version, revenue, id);
create index company_web_traffic on direct.company (version, web_traffic, id);
create index company_ad_spend on direct.company (version, ad_spend, id);
create index company_total_funding on direct.company (version, total_funding, id);
create index company_last_funding_amount on direct.company (version, last_funding_amount, id);
create index company_last_funding_year on direct.company (version, last_funding_year, id);
create index company_founded_year on direct.company (version, founded_year, id);
create index company_search on direct.company using gin (search) with (fastupdate = off);

-- Every domain that leads to a company; rank 0 is its main one.
create table direct.company_domain (
  version integer not null,
  domain text not null,
  company_id integer not null,
  rank integer not null,
  primary key (version, domain, company_id)
) partition by list (version);

-- Ids follow the order of results: by connections, descending, unknown last; then in the order of the import. They have
-- gaps.
create table direct.person (
  version integer not null,
  id integer not null,
  slug text not null,
  member_number bigint,
  profile_token text,
  sales_token text,
  -- The company of the first current position.
  company_id integer,
  connections smallint,
  -- Title of that position, otherwise of the first position.
  title text,
  headline text,
  job_level text,
  job_function text,
  country_code text,
  city text,
  -- The entry without its null fields. It is only read as a whole, so json is cheaper than jsonb.
  record json not null,
  search tsvector not null,
  primary key (version, id)
) partition by list (version);
-- Wide columns are stored out of line and uncompressed, so that rows that are only counted stay narrow.
alter table direct.person alter record set storage external, alter search set storage external;
create unique index person_slug on direct.person (version, slug);
-- These should be unique, but duplicates in imported data must not make a load fail.
create index person_member_number on direct.person (version, member_number) where member_number is not null;
create index person_profile_token on direct.person (version, profile_token) where profile_token is not null;
create index person_sales_token on direct.person (version, sales_token) where sales_token is not null;
create index person_company on direct.person (version, company_id, id);
-- Covers the count by country.
create index person_company_country on direct.person (version, company_id, country_code);
create index person_search on direct.person using gin (search) with (fastupdate = off);

create table direct.job (
  version integer not null,
  id bigint not null,
  company_id integer,
  -- The company named by the posting, whether or not the data set contains it.
  company_slug text,
  company_name text,
  title text not null,
  field text,
  seniority text,
  employment_type text,
  work_arrangement text,
  city text,
  country_code text,
  posted_at timestamptz not null,
  utc_offset_hours smallint not null,
  skills text[] not null,
  taxonomies text[] not null,
  description text,
  ai_summary text,
  search tsvector not null,
  primary key (version, id)
) partition by list (version);
alter table direct.job alter description set storage external, alter ai_summary set storage external,
  alter search set storage external;
-- For paging through all jobs, paging through one company's jobs, and counting jobs by company.
create index job_posted on direct.job (version, posted_at desc, id desc);
create index job_company on direct.job (version, company_id, posted_at desc, id desc);
create index job_search on direct.job using gin (search) with (fastupdate = off);

create table direct.email (
  version integer not null,
  person_id integer not null,
  -- In lower case.
  email text not null,
  company_id integer,
  company_slug text,
  email_domain text not null,
  -- The position of the profile that the address belongs to; 1 is the first.
  job_order integer not null,
  verified_at timestamptz,
  primary key (version, email, person_id)
) partition by list (version);
create index email_person on direct.email (version, person_id);

create table direct.phone (
  version integer not null,
  person_id integer not null,
  phone text not null,
  kind text,
  primary key (version, phone, person_id)
) partition by list (version);
create index phone_person on direct.phone (version, person_id);
