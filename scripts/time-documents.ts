/**
 * Measures the CPU time, in milliseconds, of validating the slowest documents of 2,000 tokens: `node
 * scripts/time-documents.ts`. Compares the rules of graphql-js with `validateDocument`. `docs/limits.md` has the table.
 */
import { readFileSync } from 'node:fs';
import { buildSchema, type DocumentNode, parse, validate } from 'graphql';
import { defaultQueryLimits, parserOptions } from '../src/limits/query-limits.ts';
import { validateDocument } from '../src/limits/validate-document.ts';

const schema = buildSchema(readFileSync(new URL('../schema/schema.graphql', import.meta.url), 'utf8'));
const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');
const nested = (levels: number, open: string, core: string): string =>
  `${open.repeat(levels)}${core}${'}'.repeat(levels)}`;

const documents: Record<string, string> = {
  'one name, 990 fields': `{ ${times(490, () => 'viewer{login}')} }`.replace(/\s\S*$/, ' }'),
  'conflicts of two fields under one name': `{ article(databaseId: 1){ ${times(660, at => `a:${at % 2 ? 'id' : 'headline'}`)} } }`,
  'conflicts of arguments': `{ ${times(180, at => `article(databaseId: ${at}){id}`)} }`,
  'equal fields with sub-selections': `{ ${times(180, () => 'article(databaseId: 1){id}')} }`,
  'nested equal fields': `{ ${times(12, () => `article(databaseId: 1){ ${times(39, () => 'related{id}')} }`)} }`,
  'deeply nested, twice': `{ ${nested(320, 'a{', 'b')} ${nested(320, 'a{', 'c')} }`,
  'articles, related in related': `{ article(databaseId: 1){ ${nested(310, 'related{', 'id')} ${nested(310, 'related{', 'id')} } }`,
  'fragments that spread all that follow': `{ article(databaseId: 1){...f0} } ${times(27, at => `fragment f${at} on Article{id ${times(26 - at, next => `...f${at + next + 1}`)}}`)}`,
  'fragments twice each, 2^60': `{ article(databaseId: 1){...f0} } ${times(60, at => `fragment f${at} on Article{ a:related{...g${at}} b:related{...g${at}} } fragment g${at} on Article{id}`)}`,
  'many fragments in one set': `{ article(databaseId: 1){ ${times(210, at => `...f${at}`)} } } ${times(210, at => `fragment f${at} on Article{id}`)}`,
  'many operations on a chain of fragments': `${times(90, at => `query q${at}{...f0}`)} ${times(125, at => `fragment f${at} on Query{__typename ...f${at + 1}}`)} fragment f125 on Query{__typename}`,
  'operations with variables on a chain': `${times(60, at => `query q${at}($a:Int){...f0}`)} ${times(60, at => `fragment f${at} on Query{articles(first:$a){nodes{id}} ...f${at + 1}}`)} fragment f60 on Query{__typename}`,
  'a cycle of fragments': `{...f0} ${times(220, at => `fragment f${at} on Query{...f${(at + 1) % 220}}`)}`,
  'every fragment spreads every one': `{...f0} ${times(28, at => `fragment f${at} on Query{${times(28, to => `...f${to}`)}}`)}`,
  'unknown fields': `{ ${times(990, at => `articel${at}`)} }`,
  'unknown arguments': `{ article(${times(640, at => `identifier${at}:1`)}){id} }`,
  'unknown types': `{ ${times(330, at => `...on Articel${at}{id}`)} }`,
  'unknown types of variables': `query(${times(480, at => `$a${at}:Articel${at}`)}){__typename}`,
  'unused variables': `query(${times(480, at => `$a${at}:Int`)}){__typename}`,
  'unknown directives': `{ ${times(660, at => `__typename @skp${at}`)} }`,
  'a long list': `{ articles(first:[${times(1_900, () => '1')}]){nodes{id}} }`,
  'deep lists': `{ articles(first:${'['.repeat(900)}1${']'.repeat(900)}){nodes{id}} }`,
  'inline fragments, deep': `{ ${nested(390, '...on Query{', '__typename')} }`,
  'a string of 250 KB': `{ articles(search:"${'x'.repeat(250_000)}"){nodes{id}} }`,
  'a block string of 250 KB': `{ articles(search:"""${'\n x'.repeat(83_000)}"""){nodes{id}} }`,
  'aliases of the root': `{ ${times(660, at => `a${at}:__typename`)} }`,
};

function milliseconds(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < 8; at++) {
    const from = performance.now();
    work();
    best = Math.min(best, performance.now() - from);
  }
  return best;
}

// The first round is the warm-up; the second one is reported.
for (const [at, [name, source]] of [...Object.entries(documents), ...Object.entries(documents)].entries()) {
  let document: DocumentNode;
  try {
    document = parse(source, parserOptions(defaultQueryLimits));
  } catch (error) {
    console.log(`${name}: ${String((error as Error).message).slice(0, 80)}`);
    continue;
  }
  const parsing = milliseconds(() => parse(source, parserOptions(defaultQueryLimits)));
  const before = milliseconds(() => validate(schema, document));
  const after = milliseconds(() => validateDocument(schema, document));
  const errors = validateDocument(schema, document);
  if (at < Object.keys(documents).length) continue;
  const figures = [parsing, before, after].map(one => one.toFixed(1).padStart(7)).join(' ');
  console.log(`${figures}  ${name} (${errors.length}: ${errors[0]?.message.slice(0, 60) ?? 'valid'})`);
}
