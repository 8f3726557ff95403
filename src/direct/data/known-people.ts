/** People that examples can count on: who they are and what they do never changes. Each has a fresh work email. */
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
  /** An area code, a fictional number (555-01xx) and its kind. */
  phone: { number: string; kind: string } | null;
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
    phone: null,
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
    phone: null,
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
    phone: { number: '+16175550142', kind: 'mobile' },
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
    phone: { number: '+16175550117', kind: 'direct' },
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
    phone: null,
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
    phone: null,
  },
];
