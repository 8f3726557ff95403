import type { Kind } from '../entries/kind.ts';
import { host } from '../network-host.ts';

/** Column names of common CRM exports by our column, in normal form (`normal`). The first ones are preferred. */
const company: Readonly<Record<string, string>> = {
  name: 'companyname company accountname account organization organisation organizationname employer firm firma',
  domain: 'companydomain companydomainname domain domainname accountdomain',
  website: 'companywebsite website websiteurl accountwebsite webpage homepage url web',
  industry: 'companyindustry industry primaryindustry accountindustry sector branche',
  employees_on_network:
    'numberofemployees employees employeecount companyemployees noofemployees headcount totalemployees',
  size: 'companysize size employeerange employeesrange',
  revenue: 'annualrevenue companyrevenue totalrevenue',
  about: 'companydescription companyabout',
  network_url:
    'companynetworkurl companynetwork companynetworkpage companynetworkcompanypage networkcompanypage companynetworkprofile',
  founded_year: 'yearfounded founded companyfoundedyear companyfounded',
  'hq.city': 'companycity hqcity billingcity',
  'hq.state': 'companystate hqstate billingstate billingstateprovince companystateregion',
  'hq.country_code': 'companycountry hqcountry billingcountry companycountryregion companycountrycode',
};

const place = {
  city: 'city mailingcity contactcity town ort stadt',
  state: 'state stateregion stateprovince mailingstate mailingstateprovince contactstate region province',
  country_code:
    'country countryregion mailingcountry contactcountry countrycode mailingcountrycode land countryname',
};

const aliases: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  companies: {
    ...company,
    network_url: `networkurl network networkprofile networkpage ${company.network_url}`,
    about: 'description companydescription about',
    'hq.city': `${company['hq.city']} ${place.city}`,
    'hq.state': `${company['hq.state']} ${place.state}`,
    'hq.country_code': `${company['hq.country_code']} ${place.country_code}`,
  },
  people: {
    ...Object.fromEntries(Object.entries(company).map(([field, names]) => [`company.${field}`, names])),
    network_url:
      'networkurl personnetworkurl contactnetworkurl network networkprofile networkprofileurl profileurl contactnetworkprofile',
    full_name: 'fullname name contactname contact contactfullname personname displayname',
    first_name: 'firstname givenname forename vorname contactfirstname',
    last_name: 'lastname surname familyname nachname contactlastname',
    civility_title: 'salutation',
    'experiences.1.job_title': 'jobtitle title position role contacttitle designation currenttitle funktion',
    email:
      'email workemail businessemail emailaddress primaryemail contactemail emailwork email1 mail corporateemail',
    email_verified_at:
      'emailverifiedat emailverifiedon verifiedat emaillastverifiedat primaryemaillastverifiedat',
    email_status: 'emailstatus emailverificationstatus primaryemailstatus verificationstatus',
    mobile_phone: 'mobile mobilephone mobilephonenumber mobilenumber cell cellphone handy',
    phone:
      'phone phonenumber workphone directphone workdirectphone businessphone telephone telefon contactphone',
    'location.city': place.city,
    'location.state': place.state,
    'location.country_code': place.country_code,
    'location.postal_code': 'zip zipcode postalcode postcode mailingzip mailingzippostalcode plz',
    'location.street_address': 'street address streetaddress mailingstreet',
    about_me: 'bio summary about',
  },
  jobs: {
    id: 'jobid postingid id',
    title: 'title jobtitle position role',
    company_name: 'companyname company employer organization',
    company_domain: 'companydomain domain companywebsite website',
    company_network_url: company.network_url ?? '',
    city: `${place.city} jobcity location`,
    country_code: `${place.country_code} jobcountry`,
    posted_at: 'postedat posted dateposted postedon postingdate publishedat published publicationdate date',
    description: 'description jobdescription text',
    employment_type: 'employmenttype jobtype contracttype',
    work_arrangement: 'workarrangement remote workplacetype',
  },
  emails: {
    person_network_url: 'personnetworkurl networkurl contactnetworkurl profileurl networkprofile',
    email: 'email emailaddress workemail businessemail mail',
    verified_at: 'verifiedat emailverifiedat verifiedon lastverifiedat verified',
    status: 'status emailstatus verificationstatus result',
  },
  phones: {
    person_network_url: 'personnetworkurl networkurl contactnetworkurl profileurl networkprofile',
    email: 'email emailaddress workemail businessemail mail',
    phone: 'phone phonenumber mobile mobilephone directphone telephone',
  },
};

/** Name of the network as it occurs in column names: the part of its host before the first dot from the right. */
const networkName = host.split('.').at(-2) ?? 'network';

/** Normal form of a column name: lower case, only letters and digits, the network's own name as `network`. */
export function normal(name: string): string {
  const bare = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return bare.replaceAll(networkName, 'network');
}

const byAlias = new Map(
  Object.entries(aliases).map(([kind, fields]) => {
    const found = new Map<string, { field: string; rank: number }>();
    for (const [field, names] of Object.entries(fields))
      for (const [rank, name] of names.split(' ').entries())
        if (!found.has(name)) found.set(name, { field, rank });
    return [kind, found];
  }),
);

/** Our column for a column name of a CRM export, with its rank among the names of the field; null if unknown. */
export function aliasOf(kind: Kind, name: string): { field: string; rank: number } | null {
  return byAlias.get(kind)?.get(normal(name)) ?? null;
}
