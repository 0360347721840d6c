import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { check } from 'recheck';
import { type FoundExpression, findExpressions } from './find-expressions.ts';

/**
 * Refuses regular expressions whose matching time is more than linear in the input, by recheck, and those that recheck cannot
 * decide. `recheck-ignore: <what bounds the input>` in a comment before a statement, an element or a property allows those in it.
 * `check.ts` runs it. Verdicts are cached by pattern and flags.
 */
const root = join(import.meta.dirname, '..');
const folders = ['src', 'packages/operation-rest/src', 'packages/triage/src', 'rest-facade', 'schema'];

/** No limits by wall clock within an analysis: its verdict must not depend on the load of the machine. */
const parameters = { attackTimeout: null, incubationTimeout: null, timeout: 120_000 };
const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string };
const cacheFile = join(root, `node_modules/.cache/recheck-${version}.json`);

/** Undefined when matching takes linear time, otherwise why not. */
type Verdict = string | undefined;

const known = readCache();

function readCache(): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(cacheFile, 'utf8')) as Record<string, string>));
  } catch {
    return new Map();
  }
}

async function verdictOf({ source, flags }: FoundExpression & { kind: 'literal' }): Promise<Verdict> {
  const key = `/${source}/${flags}`;
  const cached = known.get(key);
  if (cached !== undefined) return cached || undefined;
  const found = await check(source, flags, parameters);
  const verdict =
    found.status === 'safe'
      ? ''
      : found.status === 'vulnerable'
        ? `${found.complexity.summary}: ${found.attack.pattern}`
        : `undecided: ${found.error.kind}`;
  // An analysis that timed out is repeated.
  if (found.status !== 'unknown') known.set(key, verdict);
  return verdict || undefined;
}

const files = folders
  .flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(one => join(folder, one)),
  )
  .filter(file => /\.tsx?$/.test(file) && !file.includes('node_modules'));
const found = files.flatMap(file =>
  findExpressions(readFileSync(join(root, file), 'utf8'), file).map(one => ({ ...one, place: `${file}:${one.line}` })),
);

const failures: string[] = [];
const waiting = found[Symbol.iterator]();
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (const one of waiting) {
      const verdict = one.kind === 'literal' ? await verdictOf(one) : one.problem;
      const shown = one.kind === 'literal' ? `/${one.source}/${one.flags} ` : '';
      if (verdict !== undefined) failures.push(`${one.place} ${shown}${verdict}`);
    }
  }),
);
mkdirSync(dirname(cacheFile), { recursive: true });
writeFileSync(cacheFile, JSON.stringify(Object.fromEntries(known)));

for (const failure of failures.sort()) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);
