import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertValidSchema, GraphQLSchema } from 'graphql';
import type * as OperationRest from 'operation-rest';
import type { Endpoint, Product } from 'operation-rest';
import type * as HealthProduct from '../rest-facade/health/product.ts';
import type * as HostingProduct from '../rest-facade/hosting/product.ts';
import type * as Entities from '../schema/health/entities.ts';
import type * as HostingEntities from '../schema/hosting/entities.ts';
import type * as Personal from '../schema/vocabulary/personal-data.ts';
import type * as Rules from '../src/auth/access-rules.ts';
import type * as ConfigModule from '../src/config/config.ts';
import type * as SettingsModule from '../src/config/settings.ts';
import type * as TableRetention from '../src/db/table-retention.ts';
import type * as Codes from '../src/errors/codes.ts';
import type * as Purposes from '../src/health/consents/purposes.ts';
import type * as Limits from '../src/limits/request-limit-tables.ts';
import type * as Graph from '../src/server/graph.ts';
import type * as Guard from '../src/server/guard.ts';
import type * as PrintGraph from '../src/server/print-graph.ts';
import { build, isStale } from './build.ts';
import { lockfileWithoutEngines } from './engines.ts';
import { githubCompatibility } from './github-compatibility.ts';
import { githubDescription } from './github-description.ts';
import { peopleDocument } from './people-document.ts';
import { withPointsTable } from './points-table.ts';
import { privacyDocument } from './privacy-document.ts';
import { retentionDocument } from './retention-document.ts';

/**
 * Prints the committed files that follow from the code: the schema, the permissions, the codes of errors, what is stored about people, how long rows stay, who may do what with whom, the points of endpoints in `docs/limits.md`, the settings, the lock of each
 * contract, the lockfile without engines, and the comparison with GitHub's description. With `--check` nothing is written; outdated files are listed and the exit code is 1.
 */
const root = join(import.meta.dirname, '..');
if (isStale()) build();
const load = <M>(path: string): Promise<M> => import(join(root, 'dist', path));

await import('reflect-metadata');
const { readConfig } = await load<typeof ConfigModule>('src/config/config.js');
const { settings } = await load<typeof SettingsModule>('src/config/settings.js');
const { errorCodes } = await load<typeof Codes>('src/errors/codes.js');
const { healthEntities } = await load<typeof Entities>('schema/health/entities.js');
const { hostingEntities } = await load<typeof HostingEntities>('schema/hosting/entities.js');
const { tableRetentions } = await load<typeof TableRetention>('src/db/table-retention.js');
const { personalDataOf } = await load<typeof Personal>('schema/vocabulary/personal-data.js');
const { purposeTexts } = await load<typeof Purposes>('src/health/consents/purposes.js');
const { buildGraph } = await load<typeof Graph>('src/server/graph.js');
const { printGraph } = await load<typeof PrintGraph>('src/server/print-graph.js');
const { guardedFields } = await load<typeof Guard>('src/server/guard.js');
const { accessRules } = await load<typeof Rules>('src/auth/access-rules.js');
const { secondaryLimits } = await load<typeof Limits>('src/limits/request-limit-tables.js');
const { buildOpenApi, createFacade, extractContract } = await load<typeof OperationRest>(
  'packages/operation-rest/src/operation-rest.js',
);
const { healthProduct } = await load<typeof HealthProduct>('rest-facade/health/product.js');
const { hostingProduct } = await load<typeof HostingProduct>('rest-facade/hosting/product.js');

const graph = buildGraph(readConfig({}));
// Starts assume it, because it takes a tenth of their time.
assertValidSchema(new GraphQLSchema({ ...graph.toConfig(), assumeValid: false }));

function permissions(): string {
  const rows = guardedFields(graph)
    .map(({ type, field, scope }) => {
      const { about } = accessRules[scope as keyof typeof accessRules];
      return `| \`${type}.${field}\` | \`${scope}\` | ${about} |`;
    })
    .sort();
  return `# Who may use what

Printed from the access scopes beside the fields and the rules in \`src/auth/access-rules.ts\`; \`npm run print\` renews it.
A root field that is not in this table cannot exist: the server refuses to start. Which rows somebody sees is decided in the
queries: what a caller may not see does not load, and is absent.

| field | access scope | who |
|---|---|---|
${rows.join('\n')}
`;
}

function errors(): string {
  const rows = Object.entries(errorCodes).map(([code, { status, about }]) => `| \`${code}\` | ${status} | ${about} |`);
  return `# Codes of errors

Printed from \`src/errors/codes.ts\`; \`npm run print\` renews it. Every error of a GraphQL response has one of these codes in
\`extensions.code\`. Match the code and never the message. The status is that of a response without data; a response with data is
200, whatever fields failed.

| code | status | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

function environment(): string {
  const entries = Object.entries(settings).map(
    ([name, { description, defaultText }]) => `# ${description}\n#${name}=${defaultText}\n`,
  );
  return `# Every setting, with what holds when it is absent. Copy to .env and change what you need.\n\n${entries.join('\n')}`;
}

function endpointsOf(product: Product): Endpoint[] {
  const unused = (): never => {
    throw new Error('Nothing is served while printing.');
  };
  return createFacade({ product, graph, context: unused, origin: unused, explain: unused, onDefect: unused }).endpoints;
}

const lock = (product: Product, endpoints: Endpoint[]): string =>
  `${JSON.stringify(extractContract(buildOpenApi(product, endpoints)), null, 2)}\n`;

const privacy = (): string =>
  privacyDocument(
    healthEntities.flatMap(entity => personalDataOf(entity) ?? []),
    purposeTexts,
  );

const health = healthProduct({ corsOrigins: '*' });
const hosting = hostingProduct({ docs: '' });
const hostingEndpoints = endpointsOf(hosting);
const description = githubDescription();
if (!description) console.log('docs/github-compatibility.md needs `npm run fetch-github-description`.');

const printed: Record<string, string> = {
  'schema/schema.graphql': printGraph(graph),
  'docs/permissions.md': permissions(),
  'docs/errors.md': errors(),
  'docs/limits.md': withPointsTable(
    readFileSync(join(root, 'docs/limits.md'), 'utf8'),
    hostingEndpoints,
    secondaryLimits.endpointPoints,
  ),
  'docs/privacy.md': privacy(),
  'docs/retention.md': retentionDocument(tableRetentions([...healthEntities, ...hostingEntities])),
  'docs/people.md': peopleDocument(),
  '.env.example': environment(),
  'package-lock.json': lockfileWithoutEngines(),
  'rest-facade/health/contract.lock.json': lock(health, endpointsOf(health)),
  'rest-facade/hosting/contract.lock.json': lock(hosting, hostingEndpoints),
  ...(description ? { 'docs/github-compatibility.md': githubCompatibility(hostingEndpoints, description) } : {}),
};

const checking = process.argv.includes('--check');
for (const [file, text] of Object.entries(printed)) {
  const path = join(root, file);
  const current = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (current === text) continue;
  if (checking) {
    console.error(`${file} is not current. If the change is meant, run \`npm run print\` and commit it.`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`printed ${file}`);
  }
}
