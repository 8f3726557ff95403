import * as CommandLine from '@sluice/kernel/command-line';
import * as CatalogFile from '../../catalog/file.ts';
import * as Selection from '../../catalog/import/selection.ts';
import { catalogPath } from '../../config.ts';
import * as CatalogOpening from '../../process/catalog-opening.ts';
import * as UpstreamValues from '../../process/upstream-values.ts';
import * as CatalogImport from '../catalog-import.ts';
import * as Command from '../command.ts';
import * as Pricing from '../pricing.ts';
import * as CatalogDiff from './catalog-diff.ts';
import * as CatalogGoals from './catalog-goals.ts';

export const help = `Creates and checks the catalogue: the one file that says what the shop sells, and for how much.

  sluice catalog import openapi.yaml         writes a first catalogue from an API description, and asks for each price
  sluice catalog check [catalog.yaml]        lists every error and warning as file:line:column reason
  sluice catalog diff [catalog.yaml]         shows what it would change, and for how many accounts
  sluice catalog goals [catalog.yaml]        tries the goals that teach the advisor, and names those that it confuses

  sluice help catalog import                 its flags and examples; the same for check, diff and goals

Exit code: 0 done (diff: no difference), 1 not done, or errors found (diff: a difference), 2 the arguments are wrong, or there is nothing to compare.`;

export const helpOf = {
  import: `Creates a catalogue from an OpenAPI 3 or Swagger 2.0 description (YAML or JSON, a file or a URL).

  sluice catalog import openapi.yaml                 asks for each price, then writes catalog.yaml
  sluice catalog import https://api.example.com/openapi.json --out my.yaml --price 0.002 --price search=0.01 --trial 25 --min 0.50
  sluice catalog import openai.yaml --path /chat --path /embeddings --prices prices.csv --yes
  printf '0.002\\n0.01\\n25\\n0.50\\n' | sluice catalog import openapi.yaml      answers the questions in their order

Operations are grouped into services by tag. Results are counted where a response is a list. The command asks for the price of each
service, the free units of a new account, and the smallest purchase, unless a flag gives the value. Answers come from the terminal or
from piped input. Guesses are marked with "?" in the file and counted in the output. A downloaded description is stored beside the
catalogue. Above ${Selection.unselectedMax} operations, choose with --tag or --path what to sell. Operations that manage your own account with the API
(keys, members, tokens, billing, webhooks, limits) are sold only with --include.

  --out      the file to write (default catalog.yaml); an existing file is replaced only with --force
  --price    price in USD of a result or call, with at most six decimals: for every service (default 0.001), or for one as slug=0.01
  --tag      sells the operations with this tag; may be repeated
  --path     sells the operations on this path and below it, such as /v1/search; / for all; may be repeated
  --include  sells an operation that is left out otherwise: a call such as "POST /v1/webhooks", or the beginning of a path; may be repeated
  --only     slugs of the services to sell, separated by commas; all others are left out
  --mount    the path under which the shop has the API, such as /acme; needed where paths of the API begin with a parameter
  --prices   price list in CSV for what is charged by tokens or other usage: key,input,output in USD for a million units
  --trial    free units of a new account, 0 for no trial; default: 25, or as many as the most expensive call can cost
  --min      the smallest purchase in USD; default 0.50
  --yes      accepts all defaults without questions
  --force    replaces an existing file
  --json     prints the result as JSON

Exit code: 0 written, 1 not written; standard error has the reason, 2 the arguments are wrong.`,
  check: `Reads a catalogue and its file of goals as the shop does, and lists every error and warning as file:line:column reason.

  sluice catalog check                   the one that CATALOG names
  sluice catalog check catalog.yaml

  --json     prints the result as JSON

Exit code: 0 no errors, 1 errors, 2 the arguments are wrong.`,
  diff: `Compares a catalogue with the one that the shop loaded last: prices, plans and services, and the number of accounts that hold or
renew a plan. "!" marks a higher price, "-" something that is removed, "x" a change that the shop would refuse.

  sluice catalog diff                    the one that CATALOG names
  sluice catalog diff catalog.yaml

  --json     prints the result as JSON

Exit code: 0 no difference, 1 a difference, 2 the arguments are wrong, or there is nothing to compare.`,
  goals: `Asks the advisor goals of the catalogue that it was not taught this time, and counts right answers. Above ${CatalogGoals.askedMax} goals it asks a
sample. It takes up to a minute, longer on a busy machine; a terminal shows the progress. See docs/advisor.md, "Teaching it".

  sluice catalog goals [catalog.yaml]                tries the goals, and names those that it confuses
  sluice catalog goals --prompt prompt.txt           writes a text: paste it into any chat assistant, and its answer is a file of goals
  sluice catalog goals --draft goals.yaml            writes a file of goals with all operations and their "asks", to fill in

  --prompt   the file to write, "-" for standard output. Nothing is sent. More than six operations get several files, prompt-1.txt and
             so on, as an assistant writes only so many goals in one answer; name their answers as goals: [goals-1.yaml, goals-2.yaml]
  --draft    the file of goals to write
  --force    replaces existing files
  --json     prints the result as JSON, with all mistakes

Exit code: 0 done, 1 there are no goals, or the file to write exists, 2 the arguments are wrong.`,
};

const options = {
  out: { type: 'string', default: 'catalog.yaml' },
  price: { type: 'string', multiple: true },
  tag: { type: 'string', multiple: true },
  path: { type: 'string', multiple: true },
  include: { type: 'string', multiple: true },
  mount: { type: 'string' },
  prices: { type: 'string' },
  only: { type: 'string' },
  trial: { type: 'string' },
  draft: { type: 'string' },
  prompt: { type: 'string' },
  min: { type: 'string' },
  yes: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, options);
  const [given, source, ...rest] = positionals;
  const verb = CommandLine.choose(given, ['import', 'check', 'diff', 'goals']);
  CommandLine.noMore(rest);
  if (verb === 'diff') return CatalogDiff.run(source ?? catalogPath(process.env), values.json);
  if (verb === 'goals') return CatalogGoals.run(source ?? catalogPath(process.env), values);
  if (verb === 'check') return check(source ?? catalogPath(process.env), values.json);
  if (source === undefined)
    throw new CommandLine.Misuse('The description is missing: give an OpenAPI file or its URL');
  return CatalogImport.run(source, values, Pricing.parse(values));
}

async function check(path: string, asJson: boolean): Promise<number> {
  try {
    const loaded = await CatalogFile.read(path);
    const { catalog, text } = loaded;
    const fault = await CatalogOpening.whyNotOpen(path, loaded);
    if (fault !== null) throw new Error(fault.text);
    const { services, plans, operations } = catalog;
    const missing = UpstreamValues.missing(catalog, process.env);
    const warnings = [
      ...CatalogFile.warnings(text, path).map((warning) => `Warning: ${warning}`),
      ...missing.map((name) => `Not set here: ${name}, which upstreams names.`),
    ];
    const counts = {
      operations: operations.length,
      services: services.length,
      plans: plans.length,
      goals: catalog.goals?.length ?? 0,
    };
    const said = `${path}: ${counts.operations} operations in ${counts.services} services, ${counts.plans} plans, ${counts.goals} goals.`;
    const found = { path, ...counts, faults: [], warnings: CatalogFile.warnings(text, path) };
    return Command.tell(
      asJson ? JSON.stringify({ ...found, variables_missing: missing }) : [said, ...warnings].join('\n'),
      0,
    );
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (asJson) console.log(JSON.stringify({ path, faults: text.split('\n') }));
    else console.error(text);
    return 1;
  }
}
