import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { permissionNames } from '../../src/auth/hosting-scopes.ts';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential, type NewCredential } from '../../src/hosting/credentials/insert-credential.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { appJwt, basic, call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';

/** Value of an Authorization header. */
export type Header = string;

export const everyPermission = Object.fromEntries(permissionNames.map(name => [name, 'write']));
export const strong = {
  contents: 'write',
  workflows: 'write',
  administration: 'write',
  members: 'write',
  organization_administration: 'write',
};

/** A key pair for apps; a fingerprint belongs to one app at a time. */
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = String(pair.publicKey.export({ type: 'spki', format: 'pem' }));
const privateKey = String(pair.privateKey.export({ type: 'pkcs1', format: 'pem' }));

/** GraphQL literal of permissions. */
export const literal = (permissions: Record<string, string>): string =>
  `[${Object.entries(permissions)
    .map(([name, level]) => `{ name: "${name}", level: ${level.toUpperCase()} }`)
    .join(', ')}]`;

/** The demo world, with what the delegation tests create in it. */
export async function delegationWorld(gateway: TestGateway) {
  const { database, clock } = gateway;
  const demo = await demoOf(gateway);
  const db = database.sql;
  let count = 0;
  const fresh = (): string => `delegated-${++count}`;
  const idOf = async (login: string): Promise<number> =>
    (await sql<{ id: number }>`select id from account where login = ${login}`.execute(db)).rows[0]?.id ?? 0;
  const [wren, lab, northgate] = [await idOf('wren'), await idOf('harbor-lab'), await idOf('northgate')];
  /** Global ids. */
  const ids = {
    ledger: await globalIdOf(gateway, 'harbor-lab/ledger'),
    dotfiles: await globalIdOf(gateway, 'wren/dotfiles'),
    linh: await globalIdOf(gateway, 'linh'),
    wren: await globalIdOf(gateway, 'wren'),
    juniper: await globalIdOf(gateway, 'juniper'),
    lab: await globalIdOf(gateway, 'harbor-lab'),
    northgate: await globalIdOf(gateway, 'northgate'),
  };
  const oauth = await sql<{ id: number }>`select id from oauth_app`.execute(db);
  const oauthAppId = oauth.rows[0]?.id ?? 0;
  const ledger = await sql<{ id: number }>`select id from repository where name = 'ledger'`.execute(db);

  const insert = async (one: NewCredential, ssoOrganizationId?: number) => {
    const { token, credential } = await inTransaction(database, transaction =>
      insertCredential(transaction, one, clock.now),
    );
    if (ssoOrganizationId !== undefined) {
      await sql`insert into sso_authorization (credential_id, organization_id, authorized_at)
        values (${credential.databaseId}, ${ssoOrganizationId}, ${clock.now})`.execute(db);
    }
    return { id: credential.databaseId, token };
  };
  /** A classic token of wren without a parent. Wren administers both organizations and is site administrator. */
  const classic = (scopes: readonly string[], expiresAt?: Date) =>
    insert({ kind: 'classic', accountId: wren, scopes, expiresAt: expiresAt ?? null }, northgate);

  const ask = (query: string, header: Header): Promise<{ data?: never; errors?: { message: string }[] }> =>
    graphql(gateway, query, header.replace('Bearer ', ''));
  /** A value from a mutation's result; undefined when the mutation was rejected. */
  const made = async (query: string, header: Header, path: string): Promise<unknown> => {
    const { data } = (await ask(`mutation { ${query} }`, header)) as { data: unknown };
    return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], data);
  };
  const bearer = (token: unknown): Header | undefined => (typeof token === 'string' ? `Bearer ${token}` : undefined);

  const jwtOf = (appId: unknown, key = privateKey): Promise<string> =>
    appJwt(gateway, { ...demo, app: { ...demo.app, id: Number(appId), private_key: key } });
  const installationToken = async (appId: unknown, installationId: unknown, key?: string) => {
    const jwt = `Bearer ${await jwtOf(appId, key)}`;
    const { json } = await call(gateway, 'POST', `/app/installations/${installationId}/access_tokens`, jwt);
    return bearer(json.token);
  };
  /** Adds the tests' key to an app, with a credential, or as the operator. */
  const keyFor = async (appId: unknown, header?: Header): Promise<unknown> => {
    await sql`delete from app_key where public_key = ${publicKey}`.execute(db);
    const whole = (await classic(tokenScopeNames)).token;
    const id = await made(
      `addAppKey(input: { appId: "${encodeGlobalId('App', Number(appId))}", publicKey: ${JSON.stringify(publicKey)} }) { appKey { databaseId } }`,
      header ?? `Bearer ${whole}`,
      'addAppKey.appKey.databaseId',
    );
    if (!header) await sql`update app_key set added_by_id = null where id = ${id}`.execute(db);
    return id;
  };
  const createApp = async (header: Header, permissions: Record<string, string>) => {
    const name = fresh();
    const app = (await made(
      `createApp(input: { name: "${name}", url: "https://x.example", permissions: ${literal(permissions)} }) {
        app { databaseId slug clientId } clientSecret }`,
      header,
      'createApp',
    )) as { app: { databaseId: number; slug: string; clientId: string }; clientSecret: string } | undefined;
    return app && { id: app.app.databaseId, slug: app.app.slug, pair: basic(app.app.clientId, app.clientSecret) };
  };
  /** An app that depends on no credential. */
  const operatorsApp = async (permissions: Record<string, string>) => {
    const app = await createApp(`Bearer ${(await classic(tokenScopeNames)).token}`, permissions);
    if (!app) throw new Error('The app of the operator was not made.');
    await sql`update app set secret_by_id = null where id = ${app.id}`.execute(db);
    return app;
  };
  const install = (slug: string, header: Header): Promise<unknown> =>
    made(
      `installApp(input: { slug: "${slug}", accountId: "${ids.lab}" }) { installation { databaseId } }`,
      header,
      'installApp.installation.databaseId',
    );

  const succeeds = async (work: Promise<{ status: number }>): Promise<boolean> => (await work).status < 300;
  const runs = async (query: string, header: Header): Promise<boolean> => {
    if (header.startsWith('Basic')) return false;
    return !(await ask(query, header)).errors;
  };
  const path = '/repos/harbor-lab/ledger';
  const write = (header: Header, folder: string) =>
    call(gateway, 'PUT', `${path}/contents/${folder}${fresh()}.txt`, header, { message: 'm', content: '' });
  /** What a credential may be good for; nothing here is public. */
  const probes: Record<string, (header: Header) => Promise<boolean>> = {
    'sees a private repository': header => succeeds(call(gateway, 'GET', path, header)),
    'reads its contents': header => succeeds(call(gateway, 'GET', `${path}/contents/`, header)),
    'writes its contents': header => succeeds(write(header, '')),
    'writes workflow files': header => succeeds(write(header, '.host/workflows/')),
    'administers it': header =>
      runs(
        `mutation { setCollaborator(input: { repository: { id: "${ids.ledger}" }, userId: "${ids.linh}", permission: READ }) {
          permission } }`,
        header,
      ),
    'sees what single sign-on protects': header => succeeds(call(gateway, 'GET', '/repos/northgate/vault', header)),
    'administers the organization': header =>
      succeeds(call(gateway, 'GET', '/orgs/harbor-lab/rulesets/rule-suites', header)),
    'changes members': header =>
      runs(
        `mutation { setOrganizationMember(input: { organizationId: "${ids.lab}", userId: "${ids.juniper}", role: MEMBER }) { membership { role } } }`,
        header,
      ),
    'adds addresses': header =>
      runs(`mutation { addEmails(input: { emails: ["${fresh()}@x.example"] }) { emails { email } } }`, header),
    stars: header =>
      runs(`mutation { addStar(input: { starrableId: "${ids.dotfiles}" }) { starrable { id } } }`, header),
    'looks after the installation': header =>
      runs(
        `mutation { verifyUserEmail(input: { userId: "${ids.wren}", email: "nobody@x.example" }) { email { email } } }`,
        header,
      ),
  };
  const worth = async (header: Header, names = Object.keys(probes)): Promise<string[]> => {
    const passed: string[] = [];
    for (const name of names) if (await probes[name]?.(header)) passed.push(name);
    return passed;
  };
  const isKnown = async (header: Header): Promise<boolean> =>
    (await call(gateway, 'GET', '/users/wren', header)).status === 200;

  return {
    gateway,
    demo,
    db,
    wren,
    lab,
    northgate,
    ids,
    oauthAppId,
    ledgerId: ledger.rows[0]?.id ?? 0,
    fresh,
    insert,
    classic,
    ask,
    made,
    bearer,
    jwtOf,
    installationToken,
    keyFor,
    createApp,
    operatorsApp,
    install,
    probes,
    worth,
    isKnown,
  };
}
export type DelegationWorld = Awaited<ReturnType<typeof delegationWorld>>;
