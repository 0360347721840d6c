import { describe, expect, test } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
} from 'graphql';
import { sql } from 'kysely';
import { pathScopes } from 'operation-rest';
import type { HostingScope } from '../../schema/vocabulary/access.ts';
import { accessRules, decideAccess } from '../../src/auth/access-rules.ts';
import type { Actor } from '../../src/auth/actor.ts';
import { CredentialStore } from '../../src/auth/credentials/credential-store.ts';
import { authenticateHosting } from '../../src/auth/credentials/hosting-credential.ts';
import { admitsEverybody, hostingScopes, isHostingScope, permissionNames } from '../../src/auth/hosting-scopes.ts';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { readConfig } from '../../src/config/config.ts';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential, type NewCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { openRateLimiter } from '../../src/limits/open-rate-limiter.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { contracts } from '../contract/contracts.ts';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, basic, call, demoOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  // Retired operations still have permissions.
  settings: { SOURCE_IMPORTS: 'on' },
});
const demo = await demoOf(gateway);
const graph = buildGraph(readConfig({}));

/** All kinds of callers. `all` has every scope or permission; `none` has none. */
const callers = [
  'anonymous',
  'health person',
  'classic all',
  'classic none',
  'fine-grained all',
  'fine-grained none',
  'oauth all',
  'oauth none',
  'user-to-server',
  'installation all',
  'installation none',
  'workflow all',
  'workflow none',
  'app',
  'oauth app',
  'service',
] as const;
type Caller = (typeof callers)[number];

/**
 * Passes to the query; or 403; or 403 with the message for a token, for an integration or for a service credential; or 401 with the
 * message for a JWT.
 */
type Outcome = 'counts alone' | 'passes' | 'absent' | 'unauthenticated' | 'token' | 'integration' | 'jwt';

const all = (outcome: Outcome) =>
  Object.fromEntries(callers.map(one => [one, one === 'service' ? 'counts alone' : outcome])) as Record<
    Caller,
    Outcome
  >;
const nobody = {
  anonymous: 'unauthenticated',
  'health person': 'unauthenticated',
  'oauth app': 'unauthenticated',
} as const;
const apps = {
  'installation all': 'integration',
  'installation none': 'integration',
  'workflow all': 'integration',
  'workflow none': 'integration',
  app: 'integration',
} as const;
const byPermission = {
  ...all('passes'),
  ...nobody,
  'classic none': 'token',
  'fine-grained none': 'token',
  'oauth none': 'integration',
  'installation none': 'integration',
  'workflow none': 'integration',
  app: 'integration',
} as const;
/** The contract publishes no 403. */
const hidden = {
  ...byPermission,
  'classic none': 'absent',
  'fine-grained none': 'absent',
  'oauth none': 'absent',
  'installation none': 'absent',
  'workflow none': 'absent',
  app: 'absent',
} as const;
const ofUser = { ...byPermission, ...apps, 'user-to-server': 'integration' } as const;
const anyUser = { ...all('passes'), ...nobody, ...apps } as const;
const classicAlone = {
  ...all('integration'),
  ...nobody,
  'classic all': 'passes',
  'classic none': 'token',
  'fine-grained all': 'token',
  'fine-grained none': 'token',
} as const;

/** Written by hand, independent of the product's own table: the outcome of each access word for each caller. */
const expected: Record<HostingScope | 'public', Record<Caller, Outcome>> = {
  public: all('passes'),
  'metadata:read': all('passes'),
  'contents:read': all('passes'),
  'org-events:read': all('passes'),
  'user-events:read': all('passes'),
  'contents:write': byPermission,
  'source-imports:read': byPermission,
  'source-imports:write': classicAlone,
  'administration:read': byPermission,
  'administration:write': byPermission,
  'rule-suites:read': hidden,
  'hooks:read': byPermission,
  'hooks:write': byPermission,
  'hooks:delete': byPermission,
  'org-hooks:read': byPermission,
  'org-hooks:write': byPermission,
  'org:read': byPermission,
  'members:write': byPermission,
  'org-invitations:read': byPermission,
  'org-administration:read': byPermission,
  'org-administration:write': byPermission,
  'org-rule-suites:read': hidden,
  'api-insights:read': byPermission,
  'starring:write': ofUser,
  'watching:write': ofUser,
  'followers:write': ofUser,
  'signing-keys:write': ofUser,
  'ssh-keys:read': ofUser,
  'ssh-keys:write': ofUser,
  'ssh-keys:delete': ofUser,
  'invitations:read': ofUser,
  'invitations:write': ofUser,
  'emails:write': ofUser,
  'profile:write': ofUser,
  'profile:read': anyUser,
  user: anyUser,
  'tokens:write': classicAlone,
  'site-admin': classicAlone,
  installation: {
    ...classicAlone,
    'classic all': 'token',
    'installation all': 'passes',
    'installation none': 'passes',
  },
  app: { ...all('jwt'), 'health person': 'unauthenticated', app: 'passes' },
  'oauth-app': { ...all('unauthenticated'), 'oauth app': 'passes' },
  service: { ...classicAlone, 'classic all': 'token', service: 'passes' },
};

const everyPermission = Object.fromEntries(permissionNames.map(name => [name, 'admin' as const]));

async function idOf(login: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from account where login = ${login}`.execute(
    gateway.database.sql,
  );
  return rows[0]?.id ?? 0;
}

// The installation's permissions limit its tokens.
await sql`update installation set permissions = ${JSON.stringify(everyPermission)}`.execute(gateway.database.sql);
const wren = await idOf('wren');
const lab = await idOf('harbor-lab');
const { rows: ids } = await sql<{ app: number; oauth: number; repository: number }>`
  select (select min(id) from app) as app, (select min(id) from oauth_app) as oauth,
    (select min(id) from repository) as repository`.execute(gateway.database.sql);
const { app: appId, oauth: oauthAppId, repository } = ids[0] ?? { app: 0, oauth: 0, repository: 0 };
const guest = (await call(gateway, 'POST', '/api/v1/auth/guest/')).json.access as string;

const token = async (one: NewCredential): Promise<string> => {
  const { token: text } = await inTransaction(gateway.database, db => insertCredential(db, one, gateway.clock.now));
  return `Bearer ${text}`;
};
const ofInstallation = { kind: 'installation', appId, installationId: demo.app.installation_id } as const;

/** Authorization header of a caller; created anew each time, because some calls use it up. */
const credentials: Record<Caller, () => Promise<string | undefined> | string | undefined> = {
  anonymous: () => undefined,
  'health person': () => `Bearer ${guest}`,
  'classic all': () => token({ kind: 'classic', accountId: wren, scopes: tokenScopeNames }),
  'classic none': () => token({ kind: 'classic', accountId: wren }),
  'fine-grained all': () =>
    token({ kind: 'fine_grained', accountId: wren, resourceOwnerId: lab, permissions: everyPermission }),
  'fine-grained none': () => token({ kind: 'fine_grained', accountId: wren, resourceOwnerId: lab }),
  'oauth all': () => token({ kind: 'oauth', accountId: wren, oauthAppId, scopes: tokenScopeNames }),
  'oauth none': () => token({ kind: 'oauth', accountId: wren, oauthAppId }),
  'user-to-server': () => token({ kind: 'user_to_server', accountId: wren, appId }),
  'installation all': () => token({ ...ofInstallation, permissions: everyPermission }),
  'installation none': () => token(ofInstallation),
  'workflow all': () => token({ kind: 'workflow', permissions: everyPermission, repositories: [repository] }),
  'workflow none': () => token({ kind: 'workflow', repositories: [repository] }),
  app: async () => `Bearer ${await appJwt(gateway, demo)}`,
  service: () => token({ kind: 'service', note: 'board' }),
  'oauth app': () => basic(demo.oauth_app.client_id, demo.oauth_app.client_secret),
};

const sentences: Partial<Record<Outcome, RegExp>> = {
  token: /^(Resource not accessible by personal access token|Must be an administrator of this installation\.)$/,
  integration: /^Resource not accessible by integration$/,
  'counts alone': /^A service credential reads counts of the installation, at \/graphql\.$/,
  jwt: /^A JSON web token could not be decoded$/,
};

test('every access word is in the table, and no other', () => {
  const words = Object.keys(accessRules).filter(word => isHostingScope(word) || word === 'public');
  expect(Object.keys(expected).toSorted()).toEqual(words.toSorted());
});

describe.each(Object.keys(expected) as HostingScope[])('the rule of %s', word => {
  test.each(callers)('%s', async caller => {
    const header = await credentials[caller]();
    const config = readConfig({ RATE_LIMIT_FACTOR: 'off' });
    const now = gateway.clock.now;
    const tools = {
      credentials: new CredentialStore(gateway.database.read),
      rateLimiter: await openRateLimiter({ config, clock: () => now, log: console, read: gateway.database.read }),
      now,
    };
    const actor: Actor =
      caller === 'health person'
        ? { kind: 'person', ip: '', userId: 1, sessionId: '', isGuest: true }
        : await authenticateHosting(
            { headers: header === undefined ? {} : { authorization: header } },
            '192.0.2.1',
            tools,
          );
    const verdict = await decideAccess(word, { actor, config });
    expect(outcomeOf(verdict === true ? undefined : verdict, 'absent')).toBe(expected[word][caller]);
  });
});

/** `notFound`: the outcome of a field is not told from that of a query that found nothing. */
function outcomeOf(
  error: { message: string; extensions?: { code?: string } } | Error | undefined,
  notFound: Outcome = 'passes',
): Outcome {
  if (!error) return 'passes';
  const code = (error as { extensions?: { code?: string } }).extensions?.code;
  if (code === 'UNAUTHENTICATED') return 'unauthenticated';
  if (code === 'NOT_FOUND') return notFound;
  if (sentences.jwt?.test(error.message)) return 'jwt';
  if (sentences.integration?.test(error.message)) return 'integration';
  if (sentences.token?.test(error.message)) return 'token';
  if (sentences['counts alone']?.test(error.message)) return 'counts alone';
  return 'passes';
}

let made = 0;

/** A valid value of an input type that names nothing existing. */
function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const needed = fields.filter(one => isNonNullType(one.type) && one.defaultValue === undefined);
    const given = type.isOneOf ? fields.slice(0, 1) : needed;
    return `{ ${given.map(one => `${one.name}: ${literal(one.type)}`).join(', ')} }`;
  }
  switch (getNamedType(type).name) {
    case 'SafeInt':
    case 'Int':
      return '987654321';
    case 'Boolean':
      return 'true';
    case 'DateTime':
      return '"2026-10-01T00:00:00Z"';
    case 'GitObjectID':
      return `"${'0'.repeat(40)}"`;
    default:
      // Unique, because some calls succeed and create something.
      return `"nothing-${++made}"`;
  }
}

function documentFor(root: string, field: GraphQLField<unknown, unknown>): string {
  const needed = field.args.filter(one => isNonNullType(one.type) && one.defaultValue === undefined);
  const given = needed.map(one => `${one.name}: ${literal(one.type)}`);
  const args = given.length > 0 ? `(${given.join(', ')})` : '';
  const below = isCompositeType(getNamedType(field.type)) ? '{ __typename }' : '';
  return `${root} { ${field.name}${args} ${below} }`;
}

const roots = [
  { root: 'query', fields: Object.values(graph.getQueryType()?.getFields() ?? {}) },
  { root: 'mutation', fields: Object.values(graph.getMutationType()?.getFields() ?? {}) },
].flatMap(({ root, fields }) =>
  fields.map(field => ({ root, field, name: field.name, word: String(field.extensions.access) })),
);

/** These distinguish tokens once more during execution. */
const further = new Set(['createWorkflowToken', 'createRepository']);

describe.each(roots.filter(({ word }) => isHostingScope(word)))(
  '$root $name ($word)',
  ({ root, field, name, word }) => {
    test.each(callers)('%s', async caller => {
      const header = await credentials[caller]();
      const body = { query: documentFor(root, field) };
      const { json } = await call(gateway, 'POST', '/graphql', header, body);
      const [error] = json.errors ?? [];
      expect(['INTERNAL_SERVER_ERROR', 'GRAPHQL_VALIDATION_FAILED']).not.toContain(error?.extensions?.code);
      const outcome = outcomeOf(error);
      const judged = expected[word as HostingScope][caller];
      const wanted = judged === 'absent' ? 'passes' : judged;
      if (wanted === 'passes' && further.has(name)) expect(['passes', 'integration', 'token']).toContain(outcome);
      else expect({ query: body.query, outcome }).toEqual({ query: body.query, outcome: wanted });
    });
  },
);

test('a scope that reaches a repository its holder may not see otherwise is below `repository` and beside no other field', () => {
  const reaching = (contracts.find(one => one.product.name === 'hosting')?.endpoints ?? []).filter(({ operation }) =>
    [...pathScopes(graph, operation.definition, operation.fragments).required].some(
      one => hostingScopes[one as HostingScope]?.reachingScopes,
    ),
  );
  const reads = reaching.filter(({ operation }) => operation.kind === 'query');
  expect(reads.length).toBeGreaterThan(0);
  for (const { operation } of reads) {
    const { required } = pathScopes(graph, operation.definition, operation.fragments);
    expect([operation.path, required]).toEqual([operation.path, new Set(['hooks:read', 'metadata:read'])]);
    const [root, ...others] = operation.definition.selectionSet.selections;
    const below = root?.kind === Kind.FIELD && root.name.value === 'repository' && root.selectionSet?.selections;
    expect([operation.path, others, below]).toEqual([operation.path, [], [expect.anything()]]);
  }
});

const operations = (contracts.find(one => one.product.name === 'hosting')?.endpoints ?? []).map(({ operation }) => ({
  method: operation.method,
  path: operation.path,
  word: [...pathScopes(graph, operation.definition, operation.fragments, admitsEverybody).accepted][0] as HostingScope,
}));

describe.each(operations)('$method $path ($word)', ({ method, path, word }) => {
  test.each(callers)('%s', async caller => {
    const header = await credentials[caller]();
    const filled = path.replace(/\{\+?(\w+)\}/g, (_, name: string) =>
      name.endsWith('id') ? '987654321' : 'no-such-thing',
    );
    const { status, json } = await call(gateway, method, filled, header, method === 'GET' ? undefined : {});
    const wanted = caller === 'health person' ? 'jwt' : expected[word][caller];
    if (wanted === 'absent') expect({ status, message: json.message }).toEqual({ status: 404, message: 'Not Found' });
    else if (wanted === 'passes') expect([200, 201, 204, 404, 422]).toContain(status);
    else if (wanted === 'unauthenticated')
      expect({ status, message: json.message }).toEqual({ status: 403, message: 'Requires authentication' });
    else {
      expect(status).toBe(wanted === 'jwt' ? 401 : 403);
      expect(json.message).toMatch(sentences[wanted] ?? /^$/);
    }
  });
});

test('the graph accepts credentials of both products, and each opens only its own', async () => {
  const bearer = (await credentials['classic all']())?.replace('Bearer ', '');
  expect(await graphql(gateway, '{ viewer { login } }', bearer)).toEqual({
    data: { viewer: { login: expect.any(String) } },
  });
  expect((await graphql(gateway, '{ healthViewer { id } }', bearer)).errors[0].extensions.code).toBe('UNAUTHENTICATED');
  expect(
    (await graphql(gateway, '{ healthViewer { databaseId } }', guest)).data.healthViewer.databaseId,
  ).toBeGreaterThan(0);
  expect((await graphql(gateway, '{ viewer { login } }', guest)).errors[0].extensions.code).toBe('UNAUTHENTICATED');
});
