import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const folder = join(import.meta.dirname, '..', '..', 'packages', 'operation-rest');
/** Words of contracts and of this project, which the engine is for and knows nothing of. */
const words = /django|\bdrf\b|github|octokit|portico|health|hosting|repositor(y|ies)\b|articles?\b/i;

const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' }).filter(name =>
  /\.\w+$/.test(name),
);

test.each(sources.filter(name => !name.startsWith('conventions')))('%s names no contract', name => {
  const lines = readFileSync(join(folder, 'src', name), 'utf8').split('\n');
  // The entry names the plug-ins that it exports.
  const found = lines.filter(line => words.test(line) && !/^export \{.*'\.\/conventions\//.test(line));
  expect(found).toEqual([]);
});

test('the engine and its plug-ins are there', () => {
  expect(sources.length).toBeGreaterThan(70);
  expect(sources.filter(name => name.startsWith('conventions')).length).toBeGreaterThan(4);
});
