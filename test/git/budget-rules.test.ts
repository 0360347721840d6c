import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const filesWith = (pattern: RegExp, ...globs: string[]): string[] =>
  globs
    .flatMap(one => globSync(one))
    .filter(file => pattern.test(readFileSync(file, 'utf8')))
    .sort();

/** Jobs and commands of operators, whose work has limits of its own or is to have none. */
const unlimited = [
  // A copy for fetches: a refusal would refuse every later fetch, too.
  'src/git-http/cached-repository.ts',
  // Lines and objects of a pack, which `GIT_PUSH_MAX_OBJECTS` limits.
  'src/git-http/quarantine.ts',
  'src/git-http/store-pack.ts',
  'src/git/index-commits.ts',
  'src/git/repository.ts',
  // Objects that the caller has made within its budget.
  'src/git/write-objects.ts',
  'src/hosting/accounts/export-account.ts',
  'src/hosting/repositories/maintain-repository.ts',
  'src/hosting/repositories/maintenance.commands.ts',
  'src/hosting/repositories/repositories.commands.ts',
  'src/hosting/source-imports/scan-source.ts',
  'src/hosting/source-imports/source-imports.tasks.ts',
  'src/hosting/webhooks/payload-commits.ts',
  'src/workers/long-task.ts',
];

test('no request works on a repository without a budget', () => {
  expect(filesWith(/\bunlimitedSource\(|\bWorkBudget\.unlimited\(/, 'src/**/*.ts')).toEqual(unlimited);
});

/** The readers among them spend from the budget of a repository; walks read by these. */
const statements = [
  ...[
    'archives/archive-parts',
    'archives/read-trees',
    'batched-objects',
    'chunk-rows',
    'collection-lock',
    'commit-graph',
  ],
  ...['copy-objects', 'delta-rows', 'index-commits', 'maintenance/collect-garbage', 'maintenance/delta-chains'],
  ...[
    'maintenance/maintenance-lock',
    'maintenance/removals',
    'maintenance/repack-repository',
    'maintenance/store-whole',
  ],
  ...['maintenance/verify-repository', 'object-key', 'object-list', 'object-rows', 'open-blob', 'pack-stream'],
  ...['read-objects', 'refs', 'revision', 'segment-reader', 'uncreatable-refs', 'write-blob', 'write-objects'],
];

test('objects are read by few files, and by no walk itself', () => {
  const found = filesWith(/^import .*\bsql\b.* from 'kysely'/m, 'src/git/**/*.ts', 'src/git-http/**/*.ts');
  expect(found).toEqual([...statements.map(name => `src/git/${name}.ts`), 'src/git-http/cached-repository.ts'].sort());
});
