import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fuzzTargets } from './fuzz-targets.ts';
import { gitHttpCases } from './git-http.cases.ts';
import { gitLineCases } from './git-lines.cases.ts';
import { gitObjectCases } from './git-objects.cases.ts';
import { gitParserCases } from './git-parsers.cases.ts';
import { gitRepositoryCases } from './git-repositories.cases.ts';
import { healthCases } from './health.cases.ts';
import { operationRestCases } from './operation-rest.cases.ts';
import { sourceExports } from './source-exports.ts';

const cases = [
  ...gitHttpCases,
  ...gitLineCases,
  ...gitObjectCases,
  ...gitParserCases,
  ...gitRepositoryCases,
  ...healthCases,
  ...operationRestCases,
  ...fuzzTargets,
];

/** Exports of `not-measured.md`: of its lines `file: name name`. */
function listedExports(): string[] {
  const text = readFileSync(join(import.meta.dirname, 'not-measured.md'), 'utf8');
  return [...text.matchAll(/^- ([\w./-]+): (.*)$/gm)].flatMap(([, file, names = '']) =>
    names.split(' ').map(name => `${file}#${name}`),
  );
}

const exports = sourceExports();
const covered = new Set(cases.flatMap(({ covers }) => covers));
const listed = listedExports();

test('every export has a case, or a reason in not-measured.md', () => {
  const neither = exports.filter(one => !covered.has(one) && !listed.includes(one));
  expect(neither).toEqual([]);
});

test('not-measured.md lists exports that exist and have no case, each once', () => {
  const known = new Set(exports);
  expect(listed.filter(one => !known.has(one) || covered.has(one))).toEqual([]);
  expect(listed.length).toBe(new Set(listed).size);
});

test('cases name exports that exist', () => {
  const known = new Set(exports);
  // Cases may also be for other folders.
  const ofFolders = [...covered].filter(one => /^(src\/git(-http)?|src\/health|packages)\//.test(one));
  expect(ofFolders.filter(one => !known.has(one))).toEqual([]);
});
