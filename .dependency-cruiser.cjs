/**
 * The import rules of docs/architecture.md. Arrows point to the middle:
 * kernel <- rooms <- journeys <- http; adapters implement what rooms declare; only entry points join them.
 */
const rooms = '^src/(catalog|identity|ledger|payment|relay|advisor|discovery)/';
const entries = '^src/(main|config)\\.ts$|^src/(cli|process)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'kernel-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/kernel/' },
      to: { path: '^src/', pathNot: '^src/kernel/' },
    },
    {
      name: 'rooms-know-only-kernel-and-rooms',
      severity: 'error',
      from: { path: rooms },
      to: { path: '^src/', pathNot: [rooms, '^src/kernel/'] },
    },
    {
      name: 'journeys-know-no-edge',
      severity: 'error',
      from: { path: '^src/journeys/' },
      to: { path: '^src/(http|adapters|cli|process|direct|sandbox|config|main)' },
    },
    {
      name: 'http-knows-no-adapter',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/(adapters|cli|process|direct|sandbox|config|main)' },
    },
    {
      name: 'adapters-know-rooms-not-journeys',
      severity: 'error',
      from: { path: '^src/adapters/' },
      to: { path: '^src/(journeys|http|cli|process|direct|sandbox|main)' },
    },
    {
      name: 'adapters-know-not-each-other',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/$1/' },
    },
    {
      name: 'direct-shares-only-the-kernel',
      severity: 'error',
      from: { path: '^src/direct/' },
      to: { path: '^src/', pathNot: ['^src/direct/', '^src/kernel/'] },
    },
    {
      name: 'nobody-imports-direct',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/direct/', '^src/cli/'] },
      to: { path: '^src/direct/' },
    },
    {
      name: 'sandbox-shares-only-the-kernel',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/', pathNot: ['^src/sandbox/', '^src/kernel/'] },
    },
    {
      name: 'nobody-imports-sandbox',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/sandbox/' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'mailbox-shares-only-the-kernel',
      severity: 'error',
      from: { path: '^src/mailbox/' },
      to: { path: '^src/', pathNot: ['^src/mailbox/', '^src/kernel/'] },
    },
    {
      name: 'nobody-imports-mailbox',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mailbox/' },
      to: { path: '^src/mailbox/' },
    },
    {
      name: 'adapters-join-at-entry-points',
      severity: 'error',
      from: { path: '^src/', pathNot: [entries, '^src/adapters/'] },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'hono-only-in-http',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/http/', '^src/direct/', '^src/sandbox/', entries] },
      to: { path: 'node_modules/(hono|@hono)/' },
    },
    {
      name: 'no-drawers-for-odds-and-ends',
      severity: 'error',
      from: {},
      to: { path: '^src/.*/(utils?|helpers?|common|types|index)\\.ts$' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^node:' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['node', 'import', 'types'],
      exportsFields: ['exports'],
    },
  },
};
