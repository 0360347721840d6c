/**
 * Who may import whom. Everything points one way:
 * schema/vocabulary ← schema/<product> ← src/<product>/<noun> ← src/server ← src/serve.ts ← src/main.ts
 * config, errors ← telemetry ← db, auth, limits, workers, jobs, mail, git, outbound ← context ← features; packages, rest-facade: npm packages alone.
 */
const deny = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const foundations = '^src/(config|errors)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    deny('no-cycle', 'A cycle has no beginning to read from.', {}, { circular: true }),
    deny('resolvable', 'An import must lead somewhere.', {}, { couldNotResolve: true }),
    deny(
      'declared',
      'A package in use is a dependency of its own.',
      {},
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    deny(
      'production-declares',
      'What runs in production is no devDependency.',
      { path: '^(schema|src|rest-facade|packages|seeds)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
    deny(
      'schema-stands-alone',
      'Nouns know no verbs, no environment and no I/O.',
      { path: '^schema/' },
      { path: '^(src|rest-facade|seeds|test|bench|scripts)/|^node:|^(fs|net|http|process)$' },
    ),
    deny(
      'vocabulary-is-the-ground',
      'The vocabulary knows no product.',
      { path: '^schema/vocabulary/' },
      { path: '^schema/(?!vocabulary/)' },
    ),
    deny(
      'products-apart-in-schema',
      'Health and hosting never import each other.',
      { path: '^schema/health/' },
      { path: '^schema/hosting/' },
    ),
    deny(
      'products-apart-in-schema-too',
      'Health and hosting never import each other.',
      { path: '^schema/hosting/' },
      { path: '^schema/health/' },
    ),
    deny(
      'facade-imports-nothing-of-ours',
      'The published contracts stand on the printed graph and on packages.',
      { path: '^rest-facade/' },
      { path: '^(schema|src|seeds|test|bench|scripts)/' },
    ),
    deny(
      'packages-stand-alone',
      'A package is published: it has npm packages and its own files.',
      { path: '^packages/' },
      { path: '^(schema|src|rest-facade|seeds|test|bench|scripts)/' },
    ),
    deny(
      'facade-products-apart',
      'The two contracts share the package and nothing else.',
      { path: '^rest-facade/health/' },
      { path: '^rest-facade/hosting/' },
    ),
    deny(
      'facade-products-apart-too',
      'The two contracts share the package and nothing else.',
      { path: '^rest-facade/hosting/' },
      { path: '^rest-facade/health/' },
    ),
    deny(
      'only-the-server-mounts-the-facade',
      'A feature does not know that REST exists. The start names the problems of operation files. Turns of the event loop are one queue.',
      { path: '^src/(?!server/|pages/|start-errors\\.ts$)' },
      {
        path: '^(rest-facade|packages/operation-rest)/',
        pathNot: '^packages/operation-rest/src/event-loop-turn\\.ts$',
      },
    ),
    deny(
      'foundations-below',
      'Settings and errors know nothing above them.',
      { path: foundations },
      { path: '^src/', pathNot: foundations },
    ),
    deny(
      'services-below-context',
      'Services know settings, errors and each other, no feature, no server.',
      { path: '^src/(db|auth|limits|workers|jobs|mail|git|outbound|backup|telemetry)/' },
      { path: '^src/(health|hosting|server|command-line|main|serve|start-errors)', pathNot: '^src/auth/rules' },
    ),
    deny(
      'context-below-features',
      'The context offers services to features.',
      { path: '^src/context/' },
      { path: '^src/(health|hosting|server|command-line|main|serve|start-errors)' },
    ),
    deny(
      'features-below-server',
      'The server mounts features.',
      { path: '^src/(health|hosting)/' },
      { path: '^src/(server|command-line|main|serve|start-errors)' },
    ),
    deny(
      'products-apart',
      'Health and hosting never import each other.',
      { path: '^src/health/' },
      { path: '^src/hosting/' },
    ),
    deny(
      'products-apart-too',
      'Health and hosting never import each other.',
      { path: '^src/hosting/' },
      { path: '^src/health/' },
    ),
    deny(
      'main-is-last',
      'The composition root is imported by nobody.',
      { pathNot: '^(test|scripts)/|^src/main\\.ts$' },
      { path: '^src/(main|serve)\\.ts$' },
    ),
    deny(
      'seeds-are-planted-by-the-root',
      'Only the composition root plants seeds.',
      { path: '^(schema|src|rest-facade)/', pathNot: '^src/serve\\.ts$' },
      { path: '^seeds/' },
    ),
    deny(
      'peers-stand-alone',
      'What Portico is compared with has nothing of Portico in it.',
      { path: '^bench/peers/' },
      { path: '^(schema|src|rest-facade|seeds|test|scripts)/|^bench/(?!peers/|target\\.ts$)' },
    ),
    deny(
      'tests-serve-nobody',
      'Tests, benchmarks and scripts are imported by nothing that runs.',
      { path: '^(schema|src|rest-facade|packages|seeds)/' },
      { path: '^(test|bench|scripts)/' },
    ),
  ],
  options: {
    cache: { folder: 'node_modules/.cache/dependency-cruiser', strategy: 'content' },
    doNotFollow: { path: 'node_modules' },
    // Its parser takes no JSX. Templates import each other, Preact and the style sheet.
    exclude: { path: '^(dist|node_modules)/|\\.tsx$' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['operation-rest-source', 'import', 'node', 'default', 'types'],
    },
  },
};
