import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { unannouncedChanges } from '../../scripts/breaking-changes.ts';
import { publicSchema } from './public-schema.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('the changelog announces every change that breaks clients of the last release', () => {
  // `npm run release` writes it. Without one there is no client yet.
  const released = existsSync(join(root, 'schema/released.graphql')) ? read('schema/released.graphql') : undefined;
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(
    released === undefined ? [] : unannouncedChanges(released, publicSchema, read('CHANGELOG.md'), version),
  ).toEqual([]);
});

test('before 1.0.0 one entry announces all changes, afterwards each change has its own', () => {
  const released = 'type Query { ref: String tag: String }';
  const current = buildSchema('type Query { added: Int }');
  const unannounced = (version: string, breaking: string): string[] =>
    unannouncedChanges(released, current, `# Log\n\n## [Unreleased]\n\n${breaking}## [0.1.0] - 2026-11-22\n`, version);
  const both = ['Query.ref was removed.', 'Query.tag was removed.'];
  const entry = '### Breaking\n\n- `Query.ref` is `repository.ref`.\n\n### Fixed\n\n- `Query.tag`.\n\n';
  expect(unannounced('0.1.0', '### Added\n\n- A thing.\n\n')).toEqual(both);
  expect(unannounced('0.1.0', '### Breaking\n\n')).toEqual(both);
  expect(unannounced('0.1.0', entry)).toEqual([]);
  expect(unannounced('1.2.0', entry)).toEqual(['Query.tag was removed.']);
});
