/** A company with a fixed slug, headcount, age and number of postings. */
export type KnownCompany = {
  name: string;
  /** Domain of its emails if it differs from that of its website. */
  mail: string | null;
  /** Index of its sector (sectors.ts). */
  sector: number;
  industry: string;
  city: string;
  offices: readonly string[];
  employees: number;
  founded: number;
  jobs: number;
};

/** Companies used in examples. Their slugs never change. */
export const knownCompanies: readonly KnownCompany[] = [
  {
    name: 'Northwind Analytics',
    mail: 'northwind.example',
    sector: 1,
    industry: 'Data Infrastructure and Analytics',
    city: 'Berlin',
    offices: ['Lisbon', 'São Paulo', 'London', 'New York', 'Bengaluru', 'Kraków'],
    employees: 412,
    founded: 2011,
    jobs: 84,
  },
  {
    name: 'Bluefin Logistics',
    mail: null,
    sector: 12,
    industry: 'Freight and Package Transportation',
    city: 'São Paulo',
    offices: ['Curitiba', 'Buenos Aires', 'Rotterdam', 'Miami'],
    employees: 1_860,
    founded: 1994,
    jobs: 72,
  },
  {
    name: 'Halden Energy',
    mail: null,
    sector: 10,
    industry: 'Wind Electric Power Generation',
    city: 'Oslo',
    offices: ['Bergen', 'Hamburg', 'Edinburgh'],
    employees: 940,
    founded: 2003,
    jobs: 41,
  },
  {
    name: 'Tessera Health',
    mail: null,
    sector: 5,
    industry: 'Hospitals and Health Care',
    city: 'Boston',
    offices: ['Chicago', 'Toronto'],
    employees: 5_230,
    founded: 1987,
    jobs: 96,
  },
  {
    name: 'Larkspur Staffing',
    mail: null,
    sector: 19,
    industry: 'Staffing and Recruiting',
    city: 'London',
    offices: ['Manchester', 'Dublin', 'Paris', 'Warsaw'],
    employees: 268,
    founded: 2006,
    jobs: 65,
  },
  {
    name: 'Quillon Software',
    mail: null,
    sector: 0,
    industry: 'Software Development',
    city: 'Lisbon',
    offices: ['Porto', 'Berlin', 'Recife'],
    employees: 147,
    founded: 2016,
    jobs: 38,
  },
];
