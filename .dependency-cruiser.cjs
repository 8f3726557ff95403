/**
 * The import rules of docs/architecture.md: kernel <- text <- modules <- journeys <- http <- process <- cli.
 * `mayImport` is the whole table for the modules; a folder that is not listed there may be imported by none of them.
 */
const mayImport = {
  text: [],
  catalog: ['text'],
  identity: ['text'],
  ledger: [],
  payment: ['text', 'catalog', 'identity'],
  proxy: ['catalog'],
  discovery: ['text', 'catalog', 'identity', 'payment', 'proxy'],
};
const program = '^(packages/(data-api|stripe-sandbox|dev-mailbox))/';

const moduleRules = Object.entries(mayImport).map(([module, others]) => ({
  name: `${module}-imports-${['kernel', ...others].join('-')}`,
  severity: 'error',
  from: { path: `^src/${module}/` },
  to: { path: '^src/', pathNot: [module, ...others].map((name) => `^src/${name}/`) },
}));

/** `name`: files at `from` do not import files at `to`. */
function forbid(name, from, to) {
  return { name, severity: 'error', from, to };
}

module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }),
    ...moduleRules,
    forbid(
      'modules-import-no-package-but-kernel',
      { path: `^src/(${Object.keys(mayImport).join('|')})/`, pathNot: '^src/discovery/' },
      { path: '^packages/', pathNot: '^packages/kernel/' },
    ),
    forbid(
      'journeys-import-modules',
      { path: '^src/journeys/' },
      { path: '^src/(http|adapters|process|cli)/|^src/(config|main)\\.ts$' },
    ),
    forbid(
      'only-the-composition-knows-the-whole-shop',
      { path: '^src/', pathNot: ['^src/process/', '^src/http/app\\.ts$'] },
      { path: '^src/journeys/shop\\.ts$' },
    ),
    forbid(
      'http-imports-journeys-and-modules',
      { path: '^src/http/' },
      { path: '^src/(adapters|process|cli)/|^src/(config|main)\\.ts$' },
    ),
    forbid(
      'adapters-import-modules',
      { path: '^src/adapters/' },
      { path: '^src/(journeys|http|process|cli)/|^src/(config|main)\\.ts$' },
    ),
    forbid(
      'adapters-import-no-other-adapter',
      { path: '^src/adapters/([^/]+)/' },
      { path: '^src/adapters/', pathNot: '^src/adapters/$1/' },
    ),
    forbid('process-imports-no-cli', { path: '^src/process/' }, { path: '^src/cli/|^src/main\\.ts$' }),
    forbid(
      'config-imports-modules-and-process',
      { path: '^src/config\\.ts$' },
      { path: '^src/(adapters|journeys|http|cli)/|^src/main\\.ts$' },
    ),
    forbid('entry-points-are-not-imported', {}, { path: '^src/main\\.ts$|^packages/[^/]+/src/main\\.ts$' }),
    forbid('only-cli-imports-cli', { path: '^src/', pathNot: '^src/cli/' }, { path: '^src/cli/' }),
    forbid('packages-do-not-import-the-gateway', { path: '^packages/' }, { path: '^(src|test|bench)/' }),
    forbid(
      'kernel-imports-no-package',
      { path: '^packages/kernel/' },
      { path: '^packages/', pathNot: '^packages/kernel/' },
    ),
    forbid(
      'packages-import-no-package-but-kernel',
      { path: '^packages/([^/]+)/' },
      { path: '^packages/', pathNot: ['^packages/kernel/', '^packages/$1/'] },
    ),
    forbid(
      'packages-are-imported-by-name',
      { path: '^(src|packages/[^/]+)/' },
      {
        path: '^packages/',
        pathNot: '^$1/',
        dependencyTypes: ['local'],
        dependencyTypesNot: ['aliased-workspace'],
      },
    ),
    forbid('programs-meet-over-http', { path: '^src/', pathNot: '^src/cli/' }, { path: program }),
    forbid(
      'cli-imports-no-simulator',
      { path: '^src/cli/' },
      { path: '^packages/(stripe-sandbox|dev-mailbox)/' },
    ),
    forbid(
      'hono-only-in-http',
      { path: '^(src|packages)/', pathNot: ['^src/http/', '^src/(process|cli)/|^src/main\\.ts$', program] },
      { path: 'node_modules/(hono|@hono)/' },
    ),
    forbid(
      'no-drawers-for-odds-and-ends',
      {},
      { path: '^(src|packages)/.*/(utils?|helpers?|common|types|index)\\.ts$' },
    ),
    forbid('resolvable', {}, { couldNotResolve: true }),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^node:|^packages/[^/]+/(test|bench|json-count)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['node', 'import', 'types'],
      exportsFields: ['exports'],
    },
  },
};
