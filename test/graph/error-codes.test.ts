import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { errorCodes } from '../../src/errors/codes.ts';

const folder = join(import.meta.dirname, '../../src');

/** Of one problem in `extensions.problems`, beside the code of the error. */
const codesOfProblems = ['INVALID'];

/** Made by Apollo Server, whose sources are not searched. */
const codesOfApollo = ['PERSISTED_QUERY_NOT_FOUND'];

/** Files whose codes are those of PostgreSQL, of Node.js or of the pool, and never in a response. */
const withOtherCodes = [
  'errors/codes.ts',
  'db/connection-pool.ts',
  'db/sql-state.ts',
  'hosting/insights/rate-limit-codes.ts',
];

const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !withOtherCodes.includes(file))
  .map(file => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

/** Constants in upper case where an error gets its code: `code: 'X'`, and calls of the functions that take one. */
const codePatterns = [
  /\bcode: '([A-Z][A-Z_]+)'/g,
  /(?:errorFactory|codedError|graphqlError)\(\s*'([A-Z_]+)'/g,
  /problemWith\(\d+, '([A-Z_]+)'/g,
];

test('every code of an error is in the list', () => {
  const found = sources.flatMap(({ file, text }) =>
    codePatterns.flatMap(pattern => [...text.matchAll(pattern)].map(([, code = '']) => `${file}: ${code}`)),
  );
  expect(found.length).toBeGreaterThan(40);
  const known = [...Object.keys(errorCodes), ...codesOfProblems];
  expect(found.filter(entry => !known.includes(entry.replace(/.*: /, '')))).toEqual([]);
});

test('every code in the list is used', () => {
  const all = sources.map(({ text }) => text).join('\n');
  const unused = Object.keys(errorCodes).filter(code => !codesOfApollo.includes(code) && !all.includes(`'${code}'`));
  expect(unused).toEqual([]);
});
