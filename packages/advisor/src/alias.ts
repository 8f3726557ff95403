import { stem } from './words.ts';

/** Everyday terms and the values that classifications use for them; each right side is looked up in a schema's list of values. */
const lines = `
saas: software development; software
tech: software development; technology, information and internet
it service: it services and it consulting
fintech: financial services
finance: financial services; finance
bank: banking
biotech: biotechnology research; biotechnology
pharma: pharmaceutical manufacturing; pharmaceuticals
pharmaceutical: pharmaceutical manufacturing; pharmaceuticals
hospital: hospitals and health care; hospitals
clinic: hospitals and health care; medical practices
healthcare: hospitals and health care
health: hospitals and health care
manufacturer: manufacturing
car manufacturer: motor vehicle manufacturing; automotive
automotive: motor vehicle manufacturing; automotive
logistic: transportation, logistics, supply chain and storage; logistics and supply chain
hotel: hospitality; hotels and motels
restaurant: restaurants
law firm: law practice; legal services
e commerce: online and mail order retail; internet marketplace platforms; internet publishing
ecommerce: online and mail order retail; internet marketplace platforms; internet publishing
cybersecurity: computer and network security
security software: computer and network security
renewable energy: renewable energy power generation; renewables and environment
wind power: wind electric power generation
solar: solar electric power generation
insurer: insurance
retailer: retail
university: higher education
construct: construction
textile: textile manufacturing
game studio: computer games
airline: airlines and aviation
winery: wineries
bakery: baked goods manufacturing
municipality: government administration
staffing agency: staffing and recruiting
private equity: venture capital and private equity principals
real estate: real estate
telecom: telecommunications
consultancy: business consulting and services
private company: privately held
listed company: public company
nonprofit organization: nonprofit
ngo: nonprofit
school: primary and secondary education
european: europe
asian: asia
latin america: latam; south america
latam: latam; south america
north american: north america
apac: apac
c level: c team
c suite: c team
executive: c team
vice president: vp
vp: vp
marketing: advertising and marketing
hr: human resources
purchas: purchasing
customer service: customer client service
internship: intern
contract role: contractor
freelance: contractor
fully remote: remote solely
onsite: on site
series a: series a
venture back: series a; seed
`;

const table: ReadonlyMap<string, readonly string[]> = new Map(
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [said = '', means = ''] = line.split(':');
      return [said.trim().split(' ').map(stem).join(' '), means.split(';').map((it) => it.trim())];
    }),
);

/** Returns the values that `phrase`, given as stems, can mean, the most likely first. */
export function aliasesOf(phrase: string): readonly string[] {
  return table.get(phrase) ?? [];
}
