import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { basic, call } from '../harness/hosting.ts';
import { type DelegationWorld, everyPermission, type Header, literal, strong } from './delegation-world.ts';

/** Result of a mutation: a credential and the probes that concern it; undefined when the mutation was rejected. */
export interface Child {
  header: Header;
  /** Probes that it could not pass before; all when omitted. */
  gained?: string[];
}

type Mint = (parent: Header) => Promise<Child | undefined>;

const list = (scopes: readonly string[]): string => `[${scopes.map(one => `"${one}"`)}]`;
/** Input of a workflow token. */
export const ledger = 'repository: { named: { owner: "harbor-lab", name: "ledger" } }';
const sso = 'sees what single sign-on protects';

/** Ways to create or widen a credential, by mutation. Each asks for much, for less and for nothing. */
export function mintsOf(world: DelegationWorld): Record<string, Record<string, Mint>> {
  const { gateway, demo, db, ids, made, bearer, insert, installationToken, keyFor, createApp, operatorsApp, install } =
    world;
  const child = (header: Header | undefined): Child | undefined => (header === undefined ? undefined : { header });
  const tokenOf = async (query: string, parent: Header): Promise<Header | undefined> =>
    bearer(await made(`${query} { secret }`, parent, `${query.split('(')[0]}.secret`));
  const scopeSets = {
    everything: tokenScopeNames,
    'repo, workflow': ['repo', 'workflow'],
    repo: ['repo'],
    nothing: [],
  };
  const permissionSets = {
    everything: everyPermission,
    'contents and workflows': { contents: 'write', workflows: 'write' },
    contents: { contents: 'write' },
    'signing keys': { signing_keys: 'write' },
    starring: { starring: 'write' },
    nothing: {},
  };
  const over = <T>(sets: Record<string, T>, mint: (one: T) => Mint): Record<string, Mint> =>
    Object.fromEntries(Object.entries(sets).map(([name, one]) => [name, mint(one)]));
  const apps = { strong, contents: { contents: 'read' }, nothing: {} };
  const client = basic(demo.app.client_id, demo.app.client_secret);
  const authorized = (parent: Header) => tokenOf(`authorizeApp(input: { clientId: "${demo.app.client_id}" })`, parent);
  const rest = async (method: string, path: string, body: object): Promise<Child | undefined> =>
    child(bearer((await call(gateway, method, `/applications/${demo.app.client_id}${path}`, client, body)).json.token));
  /** An app of the operator, with a key of the operator, installed by the operator. */
  const installed = async (permissions: Record<string, string>) => {
    const app = await operatorsApp(permissions);
    const id = await install(app.slug, `Bearer ${(await world.classic(tokenScopeNames)).token}`);
    await sql`update installation set installed_by_id = null where id = ${id}`.execute(db);
    return { ...app, installationId: id };
  };
  return {
    createClassicToken: over(
      scopeSets,
      scopes => async parent =>
        child(await tokenOf(`createClassicToken(input: { note: "n", scopes: ${list(scopes)} })`, parent)),
    ),
    createFineGrainedToken: over(
      permissionSets,
      permissions => async parent =>
        child(
          await tokenOf(
            `createFineGrainedToken(input: { note: "n", resourceOwnerId: "${ids.lab}", permissions: ${literal(permissions)} })`,
            parent,
          ),
        ),
    ),
    createWorkflowToken: over(
      permissionSets,
      permissions => async parent =>
        child(await tokenOf(`createWorkflowToken(input: { ${ledger}, permissions: ${literal(permissions)} })`, parent)),
    ),
    authorizeApp: {
      ...over(
        scopeSets,
        scopes => async parent =>
          child(
            await tokenOf(
              `authorizeApp(input: { clientId: "${demo.oauth_app.client_id}", scopes: ${list(scopes)} })`,
              parent,
            ),
          ),
      ),
      'an app': async parent => child(await authorized(parent)),
    },
    createApp: over(apps, permissions => async parent => {
      const app = await createApp(parent, permissions);
      if (!app || !(await keyFor(app.id, parent))) return undefined;
      const id = await install(app.slug, parent);
      return child(id === undefined ? undefined : await installationToken(app.id, id));
    }),
    installApp: over(apps, permissions => async parent => {
      const app = await operatorsApp(permissions);
      await keyFor(app.id);
      const id = await install(app.slug, parent);
      return child(id === undefined ? undefined : await installationToken(app.id, id));
    }),
    addAppKey: over(apps, permissions => async parent => {
      const app = await installed(permissions);
      return child((await keyFor(app.id, parent)) ? await installationToken(app.id, app.installationId) : undefined);
    }),
    createInstallationToken: {
      narrowed: async parent => {
        const app = await installed(strong);
        if (!(await keyFor(app.id, parent))) return undefined;
        const jwt = `Bearer ${await world.jwtOf(app.id)}`;
        const path = `/app/installations/${app.installationId}/access_tokens`;
        const { json } = await call(gateway, 'POST', path, jwt, { permissions: { contents: 'write' } });
        return child(bearer(json.token));
      },
    },
    unsuspendInstallation: over(apps, permissions => async parent => {
      const app = await installed(permissions);
      await keyFor(app.id);
      const token = await installationToken(app.id, app.installationId);
      await sql`update installation set suspended_at = ${gateway.clock.now} where id = ${app.installationId}`.execute(
        db,
      );
      const opened = await made(
        `unsuspendInstallation(input: { installationId: "${encodeGlobalId('Installation', Number(app.installationId))}" }) { installation { databaseId } }`,
        parent,
        'unsuspendInstallation.installation.databaseId',
      );
      return opened === undefined ? undefined : child(token);
    }),
    authorizeTokenForSso: over(scopeSets, scopes => async parent => {
      const { id, token } = await insert({ kind: 'classic', accountId: world.wren, scopes });
      const done = await made(
        `authorizeTokenForSso(input: { organizationId: "${ids.northgate}", tokenId: "${encodeGlobalId('Token', id)}" }) { organization { login } }`,
        parent,
        'authorizeTokenForSso.organization.login',
      );
      return done === 'northgate' ? { header: `Bearer ${token}`, gained: [sso] } : undefined;
    }),
    createOauthApp: {
      any: async parent => {
        const query =
          'createOauthApp(input: { name: "n", url: "https://x.example", callbackUrl: "https://x.example" }) { clientId clientSecret }';
        const pair = (await made(query, parent, 'createOauthApp')) as
          | { clientId: string; clientSecret: string }
          | undefined;
        return pair && { header: basic(pair.clientId, pair.clientSecret) };
      },
    },
    resetClientSecret: {
      any: async parent => {
        const app = await installed(strong);
        const [clientId = ''] = Buffer.from(app.pair.replace('Basic ', ''), 'base64').toString().split(':');
        const secret = await made(
          `resetClientSecret(input: { clientId: "${clientId}" }) { clientSecret }`,
          parent,
          'resetClientSecret.clientSecret',
        );
        return typeof secret === 'string' ? { header: basic(clientId, secret) } : undefined;
      },
    },
    resetClientToken: {
      any: async parent => {
        const token = (await authorized(parent))?.replace('Bearer ', '');
        return token === undefined ? undefined : rest('PATCH', '/token', { access_token: token });
      },
    },
    scopeClientToken: over(
      { everything: {}, contents: { permissions: { contents: 'write' } } },
      more => async parent => {
        const token = (await authorized(parent))?.replace('Bearer ', '');
        return token === undefined
          ? undefined
          : rest('POST', '/token/scoped', { access_token: token, target: 'harbor-lab', ...more });
      },
    ),
  };
}

/** Mutations that handle credentials without creating or widening one. */
export const mintsNothing = [
  'checkClientToken',
  'deleteClientGrant',
  'deleteClientToken',
  'redeliverAppDelivery',
  'redeliverViewerAppDelivery',
  'removeAppKey',
  'revokeInstallationToken',
  'revokeToken',
  'suspendInstallation',
  'uninstallApp',
  'updateAppWebhook',
  'updateViewerAppWebhook',
];
