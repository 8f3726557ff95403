-- The data set: companies, people, jobs, one partition a generation, so that a new load takes over in one step.

create table direct.generation (
  generation integer primary key,
  loaded_at timestamptz not null,
  live boolean not null
);
create unique index generation_live on direct.generation (live) where live;

-- Ids follow the order of results: 1 is the largest company.
create table direct.company (
  generation integer not null,
  id integer not null,
  slug text not null,
  network_id bigint not null,
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
  is_agency boolean,
  activities text[] not null,
  categories text[] not null,
  search tsvector not null,
  primary key (generation, id),
  unique (generation, slug),
  unique (generation, network_id)
) partition by list (generation);
create index company_search on direct.company using gin (search) with (fastupdate = off);

create table direct.person (
  generation integer not null,
  id integer not null,
  company_id integer,
  first_name text not null,
  last_name text not null,
  title text,
  job_level text,
  job_function text,
  city text,
  country_code text,
  primary key (generation, id)
) partition by list (generation);
-- Covers the count by country.
create index person_company on direct.person (generation, company_id, country_code);

create table direct.job (
  generation integer not null,
  id bigint not null,
  company_id integer,
  company_name text not null,
  title text not null,
  field text,
  seniority text,
  employment_type text,
  work_arrangement text,
  city text not null,
  country_code text not null,
  posted_at timestamptz not null,
  utc_offset_hours smallint not null,
  skills text[] not null,
  taxonomies text[] not null,
  description text,
  ai_summary text not null,
  search tsvector not null,
  primary key (generation, id)
) partition by list (generation);
-- The order of one company's jobs, and of companies by their jobs.
create index job_company on direct.job (generation, company_id, posted_at desc, id desc);
create index job_search on direct.job using gin (search) with (fastupdate = off);
