/** Direction of dependency. Names are the reasons; a red rule is a design question, not a lint nit. */
const only = (name, ...allowed) => ({
  name: `${name}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^(packages|apps)/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
})

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^packages/' }, to: { circular: true } },
    // 1. package direction (allow-lists: anything not named is forbidden)
    only('core'),
    only('create-toolwire'),
    only('wire', 'core'),
    only('models', 'core'),
    only('store', 'core'),
    only('runtime', 'core'),
    only('session', 'core', 'wire'),
    only('tools', 'core'),
    only('mcp', 'core', 'tools'),
    only('engine-claude', 'core', 'runtime', 'tools'),
    only('demo', 'core', 'models'),
    only('server', 'core', 'wire', 'session'),
    only('client', 'core', 'wire'),
    only('react', 'core', 'client'),
    only('vue', 'core', 'client'),
    {
      name: 'web-imports-only-client-react-core',
      severity: 'error',
      from: { path: '^apps/web/src/' },
      to: { path: '^packages/', pathNot: '^packages/(core|client|react)/' },
    },
    // 2. platform
    {
      name: 'browser-safe-packages-use-no-node',
      severity: 'error',
      from: { path: '^packages/(core|wire|client|react|vue)/src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'sqlite-only-in-store-sqlite',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/store/src/sqlite/' },
      to: { path: '(^|/)(node:sqlite|sqlite|better-sqlite3)(/|$)', pathNot: '^packages/' },
    },
    {
      name: 'pg-only-in-store-postgres',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/store/(src/postgres|test)/' },
      to: { path: 'node_modules/(pg|postgres)/' },
    },
    {
      name: 'vendor-sdk-only-in-its-model-folder',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/models/src/' },
      to: { path: 'node_modules/(@anthropic-ai|openai|@google)/' },
    },
    {
      name: 'zod-stays-out-of-the-browser-entry-of-core',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: '^packages/core/src/schema/' },
      to: { path: 'node_modules/zod/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-session-kernel-knows-no-http',
      severity: 'error',
      from: { path: '^packages/session/src/' },
      to: { path: '(^|/)(node:)?(http|http2|https|net)$|node_modules/(fastify|hono)/' },
    },
    // 3. sealed folders
    {
      name: 'wires-do-not-know-each-other',
      severity: 'error',
      from: { path: '^packages/wire/src/([^/]+)/' },
      to: { path: '^packages/wire/src/[^/]+/', pathNot: '^packages/wire/src/($1|gateway|shared)/' },
    },
    {
      name: 'providers-do-not-know-each-other',
      severity: 'error',
      from: { path: '^packages/models/src/([^/]+)/', pathNot: '^packages/models/src/providers/' },
      to: { path: '^packages/models/src/[^/]+/', pathNot: '^packages/models/src/($1|shared)/' },
    },
    {
      name: 'stores-do-not-know-each-other',
      severity: 'error',
      from: { path: '^packages/store/src/([^/]+)/' },
      to: { path: '^packages/store/src/[^/]+/', pathNot: '^packages/store/src/($1|shared)/' },
    },
    {
      name: 'engines-know-the-runtime-by-its-engine-port',
      severity: 'error',
      from: { path: '^packages/engine-claude/src/' },
      to: { path: '^packages/runtime/', pathNot: '^packages/runtime/src/engine-port\\.ts$' },
    },
    {
      name: 'internal-parts-of-tools-are-for-mcp-and-engines',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/(tools|mcp|engine-claude)/' },
      to: { path: '^packages/tools/src/internal\\.ts$' },
    },
    {
      name: 'policy-is-pure',
      severity: 'error',
      from: { path: '^packages/tools/src/permissions/' },
      to: {
        path: '^packages/tools/src/',
        pathNot: '^packages/tools/src/(permissions|safe-files|globs)/',
      },
    },
    // 4. hygiene
    {
      name: 'no-deep-imports-across-packages',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/[^/]+/', pathNot: '^packages/($1/|[^/]+/src/index\\.ts$|core/src/(schema|view|view/parts|view/strings)/index\\.ts$|runtime/src/engine-port\\.ts$|tools/src/internal\\.ts$|mcp/src/serve\\.ts$)' },
    },
    {
      name: 'no-test-code-in-src',
      severity: 'error',
      from: { path: '/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '(/test/|\\.test\\.ts$)' },
    },
    {
      name: 'no-undeclared-dependency',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^packages/[^/]+/src/', pathNot: '(\\.test\\.ts|index\\.ts|main\\.ts|\\.d\\.ts)$' },
      to: {},
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|scenarios|fixtures)/' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['toolwire-source', 'import', 'node', 'default'],
      mainFields: ['module', 'main'],
    },
  },
}
