/** People used in examples. They never change, and each has a recently confirmed work email. */
export type KnownPerson = {
  slug: string;
  first: string;
  last: string;
  company: string;
  isHead: boolean;
  title: string;
  level: string;
  function: string;
  /** A family of roles (roles.ts). */
  family: string;
  city: string;
  /** Fictional numbers (555-01xx) with their kinds. */
  phones: readonly { number: string; kind: string }[];
};

export const knownPeople: readonly KnownPerson[] = [
  {
    slug: 'helene-brandt',
    first: 'Helene',
    last: 'Brandt',
    company: 'northwind-analytics',
    isHead: true,
    title: 'Chief Executive Officer',
    level: 'C-Team',
    function: 'General Business & Management',
    family: 'data',
    city: 'Berlin',
    phones: [],
  },
  {
    slug: 'rui-azevedo',
    first: 'Rui',
    last: 'Azevedo',
    company: 'northwind-analytics',
    isHead: false,
    title: 'VP of Sales',
    level: 'VP',
    function: 'Sales & Business Development',
    family: 'sales',
    city: 'Lisbon',
    phones: [],
  },
  {
    slug: 'naomi-whitaker',
    first: 'Naomi',
    last: 'Whitaker',
    company: 'tessera-health',
    isHead: false,
    title: 'Director of Operations',
    level: 'Director',
    function: 'Operations',
    family: 'operations',
    city: 'Boston',
    phones: [
      { number: '+16175550142', kind: 'mobile' },
      { number: '+16175550143', kind: 'direct' },
    ],
  },
  {
    slug: 'marcus-holloway',
    first: 'Marcus',
    last: 'Holloway',
    company: 'tessera-health',
    isHead: true,
    title: 'Chief Executive Officer',
    level: 'C-Team',
    function: 'General Business & Management',
    family: 'health',
    city: 'Boston',
    phones: [{ number: '+16175550117', kind: 'direct' }],
  },
  {
    slug: 'beatriz-monteiro',
    first: 'Beatriz',
    last: 'Monteiro',
    company: 'bluefin-logistics',
    isHead: false,
    title: 'Head of Supply Chain and Logistics',
    level: 'Director',
    function: 'Supply Chain & Logistics',
    family: 'logistics',
    city: 'São Paulo',
    phones: [],
  },
  {
    slug: 'ines-carvalho',
    first: 'Inês',
    last: 'Carvalho',
    company: 'quillon-software',
    isHead: true,
    title: 'Founder & CEO',
    level: 'C-Team',
    function: 'General Business & Management',
    family: 'software',
    city: 'Lisbon',
    phones: [],
  },
];
