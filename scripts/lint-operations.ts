import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildASTSchema,
  concatAST,
  type GraphQLError,
  NoUnusedFragmentsRule,
  parse,
  Source,
  specifiedRules,
  validate,
} from 'graphql';

/**
 * Validates the operation files of the REST contracts and of the pages on the printed schema: a client that has only the SDL can send each
 * of them to `/graphql`. `check.ts` runs it. Prints each error with the file, the line and what is meant perhaps, and exits with 1.
 */
const root = join(import.meta.dirname, '..');
const folders = ['rest-facade/health', 'rest-facade/hosting', 'src/pages'];
// Fragments of values that no operation returns, such as those of webhooks.
const rules = specifiedRules.filter(rule => rule !== NoUnusedFragmentsRule);
const schema = buildASTSchema(parse(readFileSync(join(root, 'schema/schema.graphql'), 'utf8')));

function errorsBelow(folder: string): readonly GraphQLError[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter(name => name.endsWith('.graphql')).map(name => join(folder, name));
  const documents = files.map(file => parse(new Source(readFileSync(join(root, file), 'utf8'), file)));
  return validate(schema, concatAST(documents), rules, { maxErrors: Number.MAX_SAFE_INTEGER });
}

for (const { message, nodes } of folders.flatMap(errorsBelow)) {
  const { source, startToken } = nodes?.[0]?.loc ?? {};
  console.error(`${source?.name}:${startToken?.line}: ${message}`);
  process.exitCode = 1;
}
