import * as Prng from './prng.ts';

/** A city with its state or province, country, whole hours from UTC and share of the world's companies. */
export type Place = { city: string; state: string; country: string; offset: number; weight: number };

const rows = `
New York|New York|US|-5|30
San Francisco|California|US|-8|26
Los Angeles|California|US|-8|16
San Diego|California|US|-8|8
Seattle|Washington|US|-8|12
Austin|Texas|US|-6|14
Dallas|Texas|US|-6|10
Houston|Texas|US|-6|9
Chicago|Illinois|US|-6|14
Boston|Massachusetts|US|-5|13
Atlanta|Georgia|US|-5|9
Miami|Florida|US|-5|7
Denver|Colorado|US|-7|8
Portland|Oregon|US|-8|5
Minneapolis|Minnesota|US|-6|5
Raleigh|North Carolina|US|-5|5
Philadelphia|Pennsylvania|US|-5|6
Nashville|Tennessee|US|-6|4
Toronto|Ontario|CA|-5|12
Montréal|Quebec|CA|-5|7
Vancouver|British Columbia|CA|-8|6
Calgary|Alberta|CA|-7|3
Mexico City|Mexico City|MX|-6|7
Guadalajara|Jalisco|MX|-6|3
Monterrey|Nuevo León|MX|-6|3
São Paulo|São Paulo|BR|-3|16
Campinas|São Paulo|BR|-3|3
Rio de Janeiro|Rio de Janeiro|BR|-3|7
Belo Horizonte|Minas Gerais|BR|-3|4
Curitiba|Paraná|BR|-3|4
Florianópolis|Santa Catarina|BR|-3|3
Porto Alegre|Rio Grande do Sul|BR|-3|3
Recife|Pernambuco|BR|-3|2
Buenos Aires|Buenos Aires|AR|-3|6
Córdoba|Córdoba|AR|-3|2
Santiago|Santiago Metropolitan|CL|-4|4
Bogotá|Bogotá|CO|-5|5
Medellín|Antioquia|CO|-5|3
Lima|Lima|PE|-5|3
San José|San José|CR|-6|2
London|England|GB|0|30
Manchester|England|GB|0|8
Bristol|England|GB|0|5
Leeds|England|GB|0|4
Edinburgh|Scotland|GB|0|5
Cardiff|Wales|GB|0|2
Dublin|Leinster|IE|0|8
Cork|Munster|IE|0|2
Paris|Île-de-France|FR|1|17
Lyon|Auvergne-Rhône-Alpes|FR|1|6
Toulouse|Occitanie|FR|1|4
Nantes|Pays de la Loire|FR|1|3
Lille|Hauts-de-France|FR|1|3
Berlin|Berlin|DE|1|14
Munich|Bavaria|DE|1|11
Hamburg|Hamburg|DE|1|8
Cologne|North Rhine-Westphalia|DE|1|6
Düsseldorf|North Rhine-Westphalia|DE|1|4
Frankfurt|Hesse|DE|1|7
Stuttgart|Baden-Württemberg|DE|1|5
Leipzig|Saxony|DE|1|2
Vienna|Vienna|AT|1|5
Graz|Styria|AT|1|2
Zürich|Zürich|CH|1|7
Geneva|Geneva|CH|1|4
Basel|Basel-Stadt|CH|1|3
Amsterdam|North Holland|NL|1|11
Rotterdam|South Holland|NL|1|4
Utrecht|Utrecht|NL|1|4
Eindhoven|North Brabant|NL|1|3
Brussels|Brussels|BE|1|5
Antwerp|Flanders|BE|1|3
Ghent|Flanders|BE|1|2
Luxembourg|Luxembourg|LU|1|2
Madrid|Madrid|ES|1|10
Barcelona|Catalonia|ES|1|10
Valencia|Valencia|ES|1|4
Seville|Andalusia|ES|1|3
Bilbao|Basque Country|ES|1|2
Lisbon|Lisbon|PT|0|6
Porto|Porto|PT|0|4
Braga|Braga|PT|0|2
Milan|Lombardy|IT|1|9
Rome|Lazio|IT|1|6
Turin|Piedmont|IT|1|4
Bologna|Emilia-Romagna|IT|1|3
Copenhagen|Capital Region|DK|1|6
Aarhus|Central Denmark|DK|1|2
Stockholm|Stockholm|SE|1|8
Gothenburg|Västra Götaland|SE|1|4
Malmö|Skåne|SE|1|3
Oslo|Oslo|NO|1|5
Bergen|Vestland|NO|1|2
Helsinki|Uusimaa|FI|2|5
Tampere|Pirkanmaa|FI|2|2
Tallinn|Harju|EE|2|3
Riga|Riga|LV|2|2
Vilnius|Vilnius|LT|2|2
Warsaw|Masovia|PL|1|7
Kraków|Lesser Poland|PL|1|5
Wrocław|Lower Silesia|PL|1|4
Gdańsk|Pomerania|PL|1|3
Prague|Prague|CZ|1|5
Brno|South Moravia|CZ|1|3
Budapest|Budapest|HU|1|4
Bucharest|Bucharest|RO|2|4
Cluj-Napoca|Cluj|RO|2|3
Sofia|Sofia City|BG|2|3
Athens|Attica|GR|2|3
Istanbul|Istanbul|TR|3|6
Kyiv|Kyiv City|UA|2|3
Tel Aviv|Tel Aviv|IL|2|7
Dubai|Dubai|AE|4|7
Riyadh|Riyadh|SA|3|4
Cairo|Cairo|EG|2|3
Lagos|Lagos|NG|1|4
Nairobi|Nairobi|KE|3|3
Accra|Greater Accra|GH|0|2
Johannesburg|Gauteng|ZA|2|5
Cape Town|Western Cape|ZA|2|4
Bengaluru|Karnataka|IN|5|15
Mumbai|Maharashtra|IN|5|11
Pune|Maharashtra|IN|5|6
Hyderabad|Telangana|IN|5|8
Chennai|Tamil Nadu|IN|5|6
Gurugram|Haryana|IN|5|6
Singapore|Singapore|SG|8|11
Kuala Lumpur|Kuala Lumpur|MY|8|4
Jakarta|Jakarta|ID|7|5
Manila|Metro Manila|PH|8|5
Bangkok|Bangkok|TH|7|4
Ho Chi Minh City|Ho Chi Minh City|VN|7|4
Hong Kong|Hong Kong|HK|8|6
Taipei|Taipei|TW|8|4
Seoul|Seoul|KR|9|6
Tokyo|Tokyo|JP|9|10
Osaka|Osaka|JP|9|4
Fukuoka|Fukuoka|JP|9|2
Sydney|New South Wales|AU|10|9
Melbourne|Victoria|AU|10|8
Brisbane|Queensland|AU|10|4
Perth|Western Australia|AU|8|3
Auckland|Auckland|NZ|12|4
Wellington|Wellington|NZ|12|2
`;

const places: readonly Place[] = rows
  .trim()
  .split('\n')
  .map((row) => {
    const [city = '', state = '', country = '', offset, weight] = row.split('|');
    return { city, state, country, offset: Number(offset), weight: Number(weight) };
  });

export const anywhere = Prng.weighted(places, (place) => place.weight);

const byCountry = Map.groupBy(places, (place) => place.country);

/** Another city of the same country, or the same one where we know no other. */
export function nearby(prng: Prng.Prng, place: Place): Place {
  return Prng.pick(prng, byCountry.get(place.country) ?? [place]);
}

/** The city of that name. */
export function named(city: string): Place {
  const place = places.find((candidate) => candidate.city === city);
  if (!place) throw new RangeError(`no such place: ${city}`);
  return place;
}
