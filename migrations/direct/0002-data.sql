-- The data set: companies, people, jobs, contacts, one partition of each a generation, so that a new load takes over in
-- one step and those who read the one before go on undisturbed.

create table direct.generation (
  generation integer primary key,
  -- Of what each kind was made of: what is live already is not loaded again.
  digests jsonb not null,
  -- How many there are of each kind.
  counts jsonb not null,
  loaded_at timestamptz not null,
  live boolean not null,
  -- When another one took over; those who still read it have a while from then.
  left_at timestamptz
);
create unique index generation_live on direct.generation (live) where live;

-- Ids follow the order of results: 1 is the company with the most employees, then the smallest network number.
create table direct.company (
  generation integer not null,
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
  primary key (generation, id)
) partition by list (generation);
alter table direct.company alter about set storage external, alter search set storage external;
create unique index company_slug on direct.company (generation, slug);
create unique index company_network_id on direct.company (generation, network_id) where network_id is not null;
-- A headcount as a place in that order.
create index company_employees on direct.company (generation, employees_on_network, id desc);
-- Whom bounds on a number let through, without a look at the rows.
create index company_followers on direct.company (generation, followers, id);
create index company_revenue on direct.company (generation, revenue, id);
create index company_web_traffic on direct.company (generation, web_traffic, id);
create index company_ad_spend on direct.company (generation, ad_spend, id);
create index company_total_funding on direct.company (generation, total_funding, id);
create index company_last_funding_amount on direct.company (generation, last_funding_amount, id);
create index company_last_funding_year on direct.company (generation, last_funding_year, id);
create index company_founded_year on direct.company (generation, founded_year, id);
create index company_search on direct.company using gin (search) with (fastupdate = off);

-- Every domain that leads to a company; rank 0 is its main one.
create table direct.company_domain (
  generation integer not null,
  domain text not null,
  company_id integer not null,
  rank integer not null,
  primary key (generation, domain, company_id)
) partition by list (generation);

-- Ids follow the order of results: from the most connections to the fewest, those unknown last; among equals as they
-- were brought. They have gaps.
create table direct.person (
  generation integer not null,
  id integer not null,
  slug text not null,
  member_number bigint,
  profile_token text,
  sales_token text,
  -- That of the first current position.
  company_id integer,
  connections smallint,
  -- Of that position, else of the first.
  title text,
  headline text,
  job_level text,
  job_function text,
  country_code text,
  city text,
  -- The whole entry less what is null. It is only ever read as a whole, so it is not taken apart (jsonb).
  record json not null,
  search tsvector not null,
  primary key (generation, id)
) partition by list (generation);
-- What is wide lies aside, as it is: rows that are counted stay narrow, and nothing is packed or unpacked.
alter table direct.person alter record set storage external, alter search set storage external;
create unique index person_slug on direct.person (generation, slug);
-- These two should be unique, but a load is not to fail where an owner's data say otherwise.
create index person_member_number on direct.person (generation, member_number) where member_number is not null;
create index person_profile_token on direct.person (generation, profile_token) where profile_token is not null;
create index person_sales_token on direct.person (generation, sales_token) where sales_token is not null;
create index person_company on direct.person (generation, company_id, id);
-- Covers the count by country.
create index person_company_country on direct.person (generation, company_id, country_code);
create index person_search on direct.person using gin (search) with (fastupdate = off);

create table direct.job (
  generation integer not null,
  id bigint not null,
  company_id integer,
  -- Where the posting says its company is, be it in the data set or not.
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
  primary key (generation, id)
) partition by list (generation);
alter table direct.job alter description set storage external, alter ai_summary set storage external,
  alter search set storage external;
-- The order of all jobs, of one company's jobs, and of companies by their jobs.
create index job_posted on direct.job (generation, posted_at desc, id desc);
create index job_company on direct.job (generation, company_id, posted_at desc, id desc);
create index job_search on direct.job using gin (search) with (fastupdate = off);

create table direct.email (
  generation integer not null,
  person_id integer not null,
  -- In lower case.
  email text not null,
  company_id integer,
  company_slug text,
  email_domain text not null,
  -- Which position of the profile it belongs to; 1 is the first.
  job_order integer not null,
  verified_at timestamptz,
  primary key (generation, email, person_id)
) partition by list (generation);
create index email_person on direct.email (generation, person_id);

create table direct.phone (
  generation integer not null,
  person_id integer not null,
  phone text not null,
  kind text,
  primary key (generation, phone, person_id)
) partition by list (generation);
create index phone_person on direct.phone (generation, person_id);
