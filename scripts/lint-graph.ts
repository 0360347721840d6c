import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import graphqlEslint from '@graphql-eslint/eslint-plugin';
import { ESLint, type Linter } from 'eslint';
import { type DocumentNode, parse } from 'graphql';
import { publishedDescriptions } from './published-descriptions.ts';
import { typesWithoutId } from './types-without-id.ts';
import { vagueDescriptions } from './vague-descriptions.ts';

/**
 * Lints the printed schema by the conventions of GraphQL and Relay, and the operation files for deprecated fields. `check.ts` runs
 * it.
 */
const root = join(import.meta.dirname, '..');
const schemaFile = join(root, 'schema/schema.graphql');

const schemaRules: Linter.RulesRecord = {
  'graphql/naming-convention': [
    'error',
    {
      types: 'PascalCase',
      FieldDefinition: 'camelCase',
      InputValueDefinition: 'camelCase',
      DirectiveDefinition: 'camelCase',
      EnumValueDefinition: 'UPPER_CASE',
    },
  ],
  'graphql/require-description': [
    'error',
    {
      types: true,
      FieldDefinition: true,
      InputValueDefinition: true,
      DirectiveDefinition: true,
      ignoredSelectors: ['ObjectTypeDefinition[name.value=/^(Query|Mutation|Subscription)$/]'],
    },
  ],
  'graphql/relay-connection-types': 'error',
  // Nodes of an edge can be values without an id, such as rows of statistics. Plain lists are judged in `test/graph/lists.test.ts`.
  'graphql/relay-edge-types': ['error', { shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false }],
  'graphql/relay-page-info': 'error',
  'graphql/relay-arguments': ['error', { includeBoth: false }],
  // Case-sensitive, it would want `createRefInput`. `test/graph/root-fields.test.ts` compares the case as well.
  'graphql/input-name': ['error', { checkInputType: true, caseSensitiveInputType: false }],
  'graphql/no-scalar-result-type-on-mutation': 'error',
  'graphql/require-nullable-result-in-root': 'error',
  'graphql/strict-id-in-types': ['error', { exceptions: typesWithoutId }],
  'graphql/require-deprecation-reason': 'error',
};

const operationRules: Linter.RulesRecord = { 'graphql/no-deprecated': 'error' };

const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [
    { files: ['schema/*.graphql'], rules: schemaRules },
    { files: ['rest-facade/**/*.graphql', 'examples/**/*.graphql'], rules: operationRules },
  ].map(config => ({
    ...config,
    plugins: { graphql: graphqlEslint as unknown as ESLint.Plugin },
    languageOptions: {
      parser: graphqlEslint.parser as Linter.Parser,
      parserOptions: { graphQLConfig: { schema: schemaFile } },
    },
  })),
});

/** Findings in the schema as `rule Type.field`, sorted, each once. */
async function schemaFindings(): Promise<string[]> {
  const [result] = await eslint.lintFiles([schemaFile]);
  const document = parse(readFileSync(schemaFile, 'utf8'));
  const nameOf = nameByLine(document);
  const findings = result?.messages.map(({ ruleId, line, message }) =>
    ruleId ? `${ruleId.replace('graphql/', '')} ${nameOf(line)}` : message,
  );
  return [...new Set(findings), ...vagueDescriptions(document, publishedDescriptions)].sort();
}

/** Uses of deprecated fields and documents with a syntax error, as `file:line: message`. */
async function operationFindings(): Promise<string[]> {
  const results = await eslint.lintFiles(['rest-facade/*/**/*.graphql', 'examples/operations/*.graphql']);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, message }) => `${relative(root, filePath)}:${line}: ${message}`),
  );
}

/** Returns the `Type` or `Type.field` that a line of the document belongs to, including its description. */
function nameByLine(document: DocumentNode): (line: number) => string {
  const names: string[] = [];
  const fill = (node: { loc?: DocumentNode['loc'] }, name: string): void => {
    const { startToken, endToken } = node.loc ?? {};
    if (startToken && endToken) names.fill(name, startToken.line, endToken.line + 1);
  };
  names.length = (document.loc?.endToken.line ?? 0) + 1;
  for (const definition of document.definitions) {
    if (!('name' in definition) || !definition.name) continue;
    fill(definition, definition.name.value);
    for (const member of 'fields' in definition ? (definition.fields ?? []) : []) {
      fill(member, `${definition.name.value}.${member.name.value}`);
    }
  }
  return line => names[line] ?? `line ${line}`;
}

const failures = [...(await operationFindings()), ...(await schemaFindings())];
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exitCode = 1;
}
