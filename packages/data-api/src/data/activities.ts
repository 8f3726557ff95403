/** Codes of an activity in two industry classifications (NAICS 2022 and SIC 1987). */
type Code = { naics: string; sic: string };

const rows = `
541511|7371|Custom computer programming services
513210|7372|Software publishers
518210|7374|Data processing and hosting services
541512|7373|Computer systems design services
541513|7376|Computer facilities management services
561621|7382|Security systems services
523940|6282|Portfolio management and investment advice
522110|6021|Commercial banking
524210|6411|Insurance agencies and brokerages
621111|8011|Offices of physicians
621610|8082|Home health care services
541714|8731|Research and development in biotechnology
325412|2834|Pharmaceutical preparation manufacturing
333248|3559|Special industry machinery manufacturing
332710|3599|Machine shops
336390|3714|Motor vehicle parts manufacturing
336413|3728|Aircraft parts manufacturing
334413|3674|Semiconductor and related device manufacturing
334419|3679|Electronic component manufacturing
221114|4911|Solar electric power generation
221122|4911|Electric power distribution
236220|1542|Commercial and institutional building construction
531110|6513|Lessors of residential buildings
484110|4213|General freight trucking
488510|4731|Freight transportation arrangement
455110|5311|Department stores
459999|5961|Electronic shopping and mail-order houses
311999|2099|Food manufacturing
111219|0161|Vegetable and melon farming
721110|7011|Hotels and motels
722511|5812|Full-service restaurants
541810|7311|Advertising agencies
541910|8732|Marketing research and public opinion polling
513130|2731|Book publishers
512110|7812|Motion picture and video production
611710|8299|Educational support services
611310|8221|Colleges and universities
561311|7361|Employment placement agencies
561320|7363|Temporary help services
541611|8742|Administrative management consulting services
541110|8111|Offices of lawyers
517111|4813|Wired telecommunications carriers
517112|4812|Wireless telecommunications carriers
813319|8399|Social advocacy organizations
921110|9111|Executive and legislative offices
`;

const codes: ReadonlyMap<string, Code> = new Map(
  rows
    .trim()
    .split('\n')
    .map((row) => {
      const [naics = '', sic = '', words = ''] = row.split('|');
      return [words, { naics, sic }];
    }),
);

/** Returns the codes of an activity of a sector. */
export function codesOf(activity: string): Code {
  const code = codes.get(activity);
  if (!code) throw new RangeError(`no code for the activity: ${activity}`);
  return code;
}
