import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildASTSchema,
  type GraphQLSchema,
  LoneAnonymousOperationRule,
  NoUnusedFragmentsRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { readOperationDocuments } from './operation-documents.ts';

/**
 * Validates the operation files of the REST contracts on the printed schema, the one that `/graphql` serves. `check.ts` runs it.
 *
 * Those that need more are in `scripts/operations-off-graph.txt`, with the number of marks that keep members out of the served graph. The list
 * shrinks only: an operation that is not in it must validate, one that validates must not be in it, and no mark may be added. With
 * `--write` a shorter list is written.
 */
const root = join(import.meta.dirname, '..');
const listFile = join(root, 'scripts/operations-off-graph.txt');
const products = ['health', 'hosting'];
const rules = specifiedRules.filter(rule => rule !== NoUnusedFragmentsRule && rule !== LoneAnonymousOperationRule);

function readSchema(): GraphQLSchema {
  return buildASTSchema(parse(readFileSync(join(root, 'schema/schema.graphql'), 'utf8')));
}

/** The first error of each operation that does not validate, by the path of its file below `rest-facade`. */
function invalidOperations(schema: GraphQLSchema, product: string): Map<string, string> {
  const invalid = new Map<string, string>();
  for (const { file, document } of readOperationDocuments(join(root, 'rest-facade', product))) {
    const [error] = validate(schema, document, rules);
    if (error) invalid.set(`${product}/${file}`, error.message);
  }
  return invalid;
}

/** Marks of fields, arguments and payload fields that the served graph lacks. */
function countMarks(): number {
  const folders = ['schema', 'src'].map(name => join(root, name));
  const files = folders.flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(folder, name)),
  );
  const marks = files.flatMap(file => readFileSync(file, 'utf8').match(/@RestOnly\(|restOnly: true/g) ?? []);
  return marks.length;
}

const schema = readSchema();
const invalid = new Map(products.flatMap(product => [...invalidOperations(schema, product)]));
const marks = countMarks();
const [first = '', ...listed] = readFileSync(listFile, 'utf8').trim().split('\n');
const maxMarks = Number(first.replace(/^marks: /, ''));
const failures = [
  ...[...invalid].filter(([file]) => !listed.includes(file)).map(([file, reason]) => `rest-facade/${file}: ${reason}`),
  ...(marks > maxMarks ? [`${marks} members are kept out of the served graph; there were ${maxMarks}.`] : []),
];
const outdated = [
  ...listed.filter(file => !invalid.has(file)).map(file => `${file} validates on the served graph.`),
  ...(marks < maxMarks ? [`${marks} members are kept out of the served graph, not ${maxMarks}.`] : []),
];
if (process.argv.includes('--write') && failures.length === 0) {
  writeFileSync(listFile, [`marks: ${marks}`, ...[...invalid.keys()].sort(), ''].join('\n'));
} else if (failures.length + outdated.length > 0) {
  const fix = outdated.length > 0 ? ['Shorten the list by `node scripts/lint-operations.ts --write`.'] : [];
  console.error([...failures, ...outdated, ...fix].join('\n'));
  process.exitCode = 1;
}
