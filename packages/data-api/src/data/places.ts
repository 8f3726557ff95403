import * as Prng from './prng.ts';

/** A city with its state or province (and its ISO 3166-2 subdivision code), country, UTC offset and share of companies. */
export type Place = {
  city: string;
  state: string;
  stateCode: string;
  country: string;
  offset: number;
  weight: number;
};

const rows = `
New York|New York|NY|US|-5|30
San Francisco|California|CA|US|-8|26
Los Angeles|California|CA|US|-8|16
San Diego|California|CA|US|-8|8
Seattle|Washington|WA|US|-8|12
Austin|Texas|TX|US|-6|14
Dallas|Texas|TX|US|-6|10
Houston|Texas|TX|US|-6|9
Chicago|Illinois|IL|US|-6|14
Boston|Massachusetts|MA|US|-5|13
Atlanta|Georgia|GA|US|-5|9
Miami|Florida|FL|US|-5|7
Denver|Colorado|CO|US|-7|8
Portland|Oregon|OR|US|-8|5
Minneapolis|Minnesota|MN|US|-6|5
Raleigh|North Carolina|NC|US|-5|5
Philadelphia|Pennsylvania|PA|US|-5|6
Nashville|Tennessee|TN|US|-6|4
Toronto|Ontario|ON|CA|-5|12
Montréal|Quebec|QC|CA|-5|7
Vancouver|British Columbia|BC|CA|-8|6
Calgary|Alberta|AB|CA|-7|3
Mexico City|Mexico City|CMX|MX|-6|7
Guadalajara|Jalisco|JAL|MX|-6|3
Monterrey|Nuevo León|NLE|MX|-6|3
São Paulo|São Paulo|SP|BR|-3|16
Campinas|São Paulo|SP|BR|-3|3
Rio de Janeiro|Rio de Janeiro|RJ|BR|-3|7
Belo Horizonte|Minas Gerais|MG|BR|-3|4
Curitiba|Paraná|PR|BR|-3|4
Florianópolis|Santa Catarina|SC|BR|-3|3
Porto Alegre|Rio Grande do Sul|RS|BR|-3|3
Recife|Pernambuco|PE|BR|-3|2
Buenos Aires|Buenos Aires|C|AR|-3|6
Córdoba|Córdoba|X|AR|-3|2
Santiago|Santiago Metropolitan|RM|CL|-4|4
Bogotá|Bogotá|DC|CO|-5|5
Medellín|Antioquia|ANT|CO|-5|3
Lima|Lima|LMA|PE|-5|3
San José|San José|SJ|CR|-6|2
London|England|ENG|GB|0|30
Manchester|England|ENG|GB|0|8
Bristol|England|ENG|GB|0|5
Leeds|England|ENG|GB|0|4
Edinburgh|Scotland|SCT|GB|0|5
Cardiff|Wales|WLS|GB|0|2
Dublin|Leinster|L|IE|0|8
Cork|Munster|M|IE|0|2
Paris|Île-de-France|IDF|FR|1|17
Lyon|Auvergne-Rhône-Alpes|ARA|FR|1|6
Toulouse|Occitanie|OCC|FR|1|4
Nantes|Pays de la Loire|PDL|FR|1|3
Lille|Hauts-de-France|HDF|FR|1|3
Berlin|Berlin|BE|DE|1|14
Munich|Bavaria|BY|DE|1|11
Hamburg|Hamburg|HH|DE|1|8
Cologne|North Rhine-Westphalia|NW|DE|1|6
Düsseldorf|North Rhine-Westphalia|NW|DE|1|4
Frankfurt|Hesse|HE|DE|1|7
Stuttgart|Baden-Württemberg|BW|DE|1|5
Leipzig|Saxony|SN|DE|1|2
Vienna|Vienna|9|AT|1|5
Graz|Styria|6|AT|1|2
Zürich|Zürich|ZH|CH|1|7
Geneva|Geneva|GE|CH|1|4
Basel|Basel-Stadt|BS|CH|1|3
Amsterdam|North Holland|NH|NL|1|11
Rotterdam|South Holland|ZH|NL|1|4
Utrecht|Utrecht|UT|NL|1|4
Eindhoven|North Brabant|NB|NL|1|3
Brussels|Brussels|BRU|BE|1|5
Antwerp|Flanders|VLG|BE|1|3
Ghent|Flanders|VLG|BE|1|2
Luxembourg|Luxembourg|LU|LU|1|2
Madrid|Madrid|MD|ES|1|10
Barcelona|Catalonia|CT|ES|1|10
Valencia|Valencia|VC|ES|1|4
Seville|Andalusia|AN|ES|1|3
Bilbao|Basque Country|PV|ES|1|2
Lisbon|Lisbon|11|PT|0|6
Porto|Porto|13|PT|0|4
Braga|Braga|03|PT|0|2
Milan|Lombardy|25|IT|1|9
Rome|Lazio|62|IT|1|6
Turin|Piedmont|21|IT|1|4
Bologna|Emilia-Romagna|45|IT|1|3
Copenhagen|Capital Region|84|DK|1|6
Aarhus|Central Denmark|82|DK|1|2
Stockholm|Stockholm|AB|SE|1|8
Gothenburg|Västra Götaland|O|SE|1|4
Malmö|Skåne|M|SE|1|3
Oslo|Oslo|03|NO|1|5
Bergen|Vestland|46|NO|1|2
Helsinki|Uusimaa|18|FI|2|5
Tampere|Pirkanmaa|11|FI|2|2
Tallinn|Harju|37|EE|2|3
Riga|Riga|RIX|LV|2|2
Vilnius|Vilnius|VL|LT|2|2
Warsaw|Masovia|14|PL|1|7
Kraków|Lesser Poland|12|PL|1|5
Wrocław|Lower Silesia|02|PL|1|4
Gdańsk|Pomerania|22|PL|1|3
Prague|Prague|10|CZ|1|5
Brno|South Moravia|64|CZ|1|3
Budapest|Budapest|BU|HU|1|4
Bucharest|Bucharest|B|RO|2|4
Cluj-Napoca|Cluj|CJ|RO|2|3
Sofia|Sofia City|22|BG|2|3
Athens|Attica|I|GR|2|3
Istanbul|Istanbul|34|TR|3|6
Kyiv|Kyiv City|30|UA|2|3
Tel Aviv|Tel Aviv|TA|IL|2|7
Dubai|Dubai|DU|AE|4|7
Riyadh|Riyadh|01|SA|3|4
Cairo|Cairo|C|EG|2|3
Lagos|Lagos|LA|NG|1|4
Nairobi|Nairobi|30|KE|3|3
Accra|Greater Accra|AA|GH|0|2
Johannesburg|Gauteng|GP|ZA|2|5
Cape Town|Western Cape|WC|ZA|2|4
Bengaluru|Karnataka|KA|IN|5|15
Mumbai|Maharashtra|MH|IN|5|11
Pune|Maharashtra|MH|IN|5|6
Hyderabad|Telangana|TG|IN|5|8
Chennai|Tamil Nadu|TN|IN|5|6
Gurugram|Haryana|HR|IN|5|6
Singapore|Singapore|SG|SG|8|11
Kuala Lumpur|Kuala Lumpur|14|MY|8|4
Jakarta|Jakarta|JK|ID|7|5
Manila|Metro Manila|00|PH|8|5
Bangkok|Bangkok|10|TH|7|4
Ho Chi Minh City|Ho Chi Minh City|SG|VN|7|4
Hong Kong|Hong Kong|HK|HK|8|6
Taipei|Taipei|TPE|TW|8|4
Seoul|Seoul|11|KR|9|6
Tokyo|Tokyo|13|JP|9|10
Osaka|Osaka|27|JP|9|4
Fukuoka|Fukuoka|40|JP|9|2
Sydney|New South Wales|NSW|AU|10|9
Melbourne|Victoria|VIC|AU|10|8
Brisbane|Queensland|QLD|AU|10|4
Perth|Western Australia|WA|AU|8|3
Auckland|Auckland|AUK|NZ|12|4
Wellington|Wellington|WGN|NZ|12|2
`;

const places: readonly Place[] = rows
  .trim()
  .split('\n')
  .map((row) => {
    const [city = '', state = '', stateCode = '', country = '', offset, weight] = row.split('|');
    return { city, state, stateCode, country, offset: Number(offset), weight: Number(weight) };
  });

export const anywhere = Prng.weighted(places, (place) => place.weight);

/** Share of companies by country. */
export const countryWeights: Readonly<Record<string, number>> = Object.fromEntries(
  [...Map.groupBy(places, (place) => place.country)].map(([country, some]) => [
    country,
    some.reduce((sum, { weight }) => sum + weight, 0),
  ]),
);

const byCountry = Map.groupBy(places, (place) => place.country);

/** Draws a city of the same country. */
export function nearby(prng: Prng.Prng, place: Place): Place {
  return Prng.pick(prng, byCountry.get(place.country) ?? [place]);
}

/** Finds a city by name. */
export function named(city: string): Place {
  const place = places.find((candidate) => candidate.city === city);
  if (!place) throw new RangeError(`no such place: ${city}`);
  return place;
}

/** Phone area codes of US cities. */
export const areaCodes: Readonly<Record<string, readonly string[]>> = {
  'New York': ['212', '646', '917'],
  'San Francisco': ['415', '628'],
  'Los Angeles': ['213', '310', '323'],
  'San Diego': ['619', '858'],
  Seattle: ['206'],
  Austin: ['512', '737'],
  Dallas: ['214', '469'],
  Houston: ['713', '832'],
  Chicago: ['312', '773'],
  Boston: ['617', '857'],
  Atlanta: ['404', '678'],
  Miami: ['305', '786'],
  Denver: ['303', '720'],
  Portland: ['503', '971'],
  Minneapolis: ['612'],
  Raleigh: ['919', '984'],
  Philadelphia: ['215', '267'],
  Nashville: ['615', '629'],
};
