import { createPublicKey } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { installationTokenLife } from '../../src/auth/credentials/installation-token.ts';
import type { Keys } from '../../src/auth/keys.ts';
import { createUser, insertAccount } from '../../src/hosting/accounts/create-user.ts';
import { insertAppKey } from '../../src/hosting/apps/add-app-key.ts';
import { clientSecretHash } from '../../src/hosting/apps/client-secret.ts';
import { insertCredential, type NewCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { type NewEvent, recordEvents } from '../../src/hosting/events/record-events.ts';
import { repositoryCreated } from '../../src/hosting/repositories/create-repository.ts';
import { plantGit, pusherTo } from './plant-git.ts';
import { plantRefusedPush, plantRulesets } from './plant-rulesets.ts';
import { plantUsage } from './plant-usage.ts';
import { demoAppKey, demoClientId, demoClientSecret, demoToken } from './secrets.ts';
import { app, collaborators, fineGrained, type Login, oauthApp, organizations, repositories, users } from './world.ts';

const day = 24 * 60 * 60_000;

/** Plants the hosting part of the demo world: accounts, repositories and what is in them, an app, a token of each kind. */
export async function plantHosting(em: EntityManager, keys: Keys, now: Date): Promise<void> {
  const db = em.getKysely() as unknown as Kysely<unknown>;
  const accounts = await plantAccounts(db, now);
  const planted = await plantRepositories(db, accounts, now);
  // An hour ago: the feed of everything is five minutes late.
  const before = new Date(now.getTime() - 60 * 60_000);
  await plantEvents(db, { accounts, planted }, before);
  // Before anything is pushed, so that the first pushes are judged.
  await plantRulesets(db, { accounts, planted }, before);
  await plantGit(db, { repositories: planted, accounts }, before);
  await plantRefusedPush(db, { accounts, planted }, before);
  const apps = await plantApps(db, keys, accounts, now);
  await plantTokens(db, keys, { accounts, planted, ...apps }, now);
  await plantUsage(db, now);
}

type Numbers = Map<string, number>;

/** The number behind a name that this file planted itself. */
function of(numbers: Numbers, name: string): number {
  const id = numbers.get(name);
  if (id === undefined) throw new Error(`The demo world names ${name}, which is not in it.`);
  return id;
}

async function plantAccounts(db: Kysely<unknown>, now: Date): Promise<Numbers> {
  const accounts: Numbers = new Map();
  for (const [login, { name, bio, classic }] of Object.entries(users)) {
    const isSiteAdmin = (classic as readonly string[]).includes('site_admin');
    const id = await createUser(db, { login, name, email: `${login}@example.org`, isSiteAdmin }, now);
    await sql`update account set bio = ${bio} where id = ${id}`.execute(db);
    accounts.set(login, id);
  }
  for (const [login, { name, bio, enforcesSso, members }] of Object.entries(organizations)) {
    const id = await insertAccount(db, { login, name, kind: 'organization' }, now);
    await sql`update account set bio = ${bio}, enforces_sso = ${enforcesSso} where id = ${id}`.execute(db);
    accounts.set(login, id);
    for (const [member, role] of Object.entries(members)) {
      await sql`insert into membership (organization_id, account_id, role, is_public, since)
        values (${id}, ${of(accounts, member)}, ${role}, ${role === 'admin'}, ${now})`.execute(db);
    }
  }
  await sql`insert into follow (follower_id, followed_id, followed_at)
    values (${of(accounts, 'linh')}, ${of(accounts, 'juniper')}, ${now}), (${of(accounts, 'juniper')}, ${of(accounts, 'wren')}, ${now})`.execute(
    db,
  );
  return accounts;
}

async function plantRepositories(db: Kysely<unknown>, accounts: Numbers, now: Date): Promise<Numbers> {
  const planted: Numbers = new Map();
  for (const { owner, name, description, isPrivate = false, isArchived = false, fork, topics = [] } of repositories) {
    const parent = fork === undefined ? null : of(planted, fork);
    const made = await sql<{ id: number }>`
      insert into repository (owner_id, name, description, is_private, is_archived, topics, parent_id, network_root_id,
        created_at, updated_at)
      values (${of(accounts, owner)}, ${name}, ${description}, ${isPrivate}, ${isArchived}, ${[...topics]}, ${parent},
        ${parent}, ${now}, ${now}) returning id`.execute(db);
    planted.set(`${owner}/${name}`, made.rows[0]?.id ?? 0);
  }
  for (const { repository, login, role } of collaborators) {
    await sql`insert into collaborator (repository_id, account_id, role, since)
      values (${of(planted, repository)}, ${of(accounts, login)}, ${role}, ${now})`.execute(db);
  }
  const compass = of(planted, 'harbor-lab/compass');
  // A name that leads on, so that there is a redirect to try.
  await sql`insert into former_repository_name (owner_id, name, repository_id, left_at)
    values (${of(accounts, 'harbor-lab')}, 'needle', ${compass}, ${now})`.execute(db);
  for (const login of stargazers) {
    await sql`insert into star (account_id, repository_id, starred_at) values (${of(accounts, login)}, ${compass}, ${now})`.execute(
      db,
    );
  }
  await sql`insert into watch (account_id, repository_id, watched_at) values (${of(accounts, 'linh')}, ${compass}, ${now})`.execute(
    db,
  );
  return planted;
}

/** Who has starred harbor-lab/compass. */
const stargazers = ['juniper', 'linh', 'okello'];

/** What made the repositories and let people in; the pushes tell of themselves. */
async function plantEvents(
  db: Kysely<unknown>,
  { accounts, planted }: { accounts: Numbers; planted: Numbers },
  at: Date,
): Promise<void> {
  const record = (repository: string, login: string, event: NewEvent): Promise<void> =>
    recordEvents(db, { repositoryId: of(planted, repository), by: { accountId: of(accounts, login) }, at }, [event]);
  for (const { owner, name, fork, description } of repositories) {
    const by = pusherTo(owner);
    const forkeeId = of(planted, `${owner}/${name}`);
    if (fork === undefined) await record(`${owner}/${name}`, by, repositoryCreated({ name, description }));
    else await record(fork, by, { type: 'ForkEvent', facts: { forkeeId } });
  }
  for (const { repository, login } of collaborators) {
    const [owner = ''] = repository.split('/');
    await record(repository, pusherTo(owner), { type: 'MemberEvent', facts: { memberId: of(accounts, login) } });
  }
  for (const login of stargazers) await record('harbor-lab/compass', login, { type: 'WatchEvent', facts: {} });
}

async function plantApps(db: Kysely<unknown>, keys: Keys, accounts: Numbers, now: Date) {
  const owner = of(accounts, app.owner);
  const made = await sql<{ id: number }>`
    insert into app (owner_id, slug, name, client_id, client_secret_hash, description, external_url, permissions, events,
      created_at, updated_at)
    values (${owner}, ${app.slug}, ${app.name}, ${demoClientId(keys, 'Iv')}, ${clientSecretHash(demoClientSecret(keys, 'Iv'))},
      ${app.description}, 'https://pilot.example.org', ${JSON.stringify(app.permissions)}, ${[...app.events]}, ${now}, ${now})
    returning id`.execute(db);
  const appId = made.rows[0]?.id ?? 0;
  await insertAppKey(db, { appId }, createPublicKey(demoAppKey(keys)), now);
  const installed = await sql<{ id: number }>`
    insert into installation (app_id, account_id, repository_selection, permissions, events, created_at, updated_at)
    values (${appId}, ${owner}, 'all', ${JSON.stringify(app.permissions)}, ${[...app.events]}, ${now}, ${now}) returning id`.execute(
    db,
  );
  const lighthouse = await sql<{ id: number }>`
    insert into oauth_app (owner_id, name, client_id, client_secret_hash, url, callback_url, created_at)
    values (${of(accounts, oauthApp.owner)}, ${oauthApp.name}, ${demoClientId(keys, 'Ov')},
      ${clientSecretHash(demoClientSecret(keys, 'Ov'))}, 'https://lighthouse.example.org',
      'https://lighthouse.example.org/back', ${now}) returning id`.execute(db);
  return { appId, installationId: installed.rows[0]?.id ?? 0, oauthAppId: lighthouse.rows[0]?.id ?? 0 };
}

interface Planted {
  accounts: Numbers;
  planted: Numbers;
  appId: number;
  installationId: number;
  oauthAppId: number;
}

async function plantTokens(db: Kysely<unknown>, keys: Keys, world: Planted, now: Date): Promise<void> {
  const { accounts, planted, appId, installationId, oauthAppId } = world;
  const plant = async (one: NewCredential, whose: string): Promise<number> =>
    (await insertCredential(db, one, now, demoToken(keys, one.kind, whose))).credential.databaseId;
  for (const login of Object.keys(users) as Login[]) {
    const accountId = of(accounts, login);
    const { owner, permissions } = fineGrained[login];
    const classic = await plant({ kind: 'classic', accountId, note: 'demo', scopes: users[login].classic }, login);
    await plant(
      { kind: 'fine_grained', accountId, note: 'demo', permissions, resourceOwnerId: of(accounts, owner) },
      login,
    );
    if (login === 'wren') {
      await sql`insert into sso_authorization (credential_id, organization_id, authorized_at)
        values (${classic}, ${of(accounts, 'northgate')}, ${now})`.execute(db);
    }
  }
  const juniper = of(accounts, 'juniper');
  await plant({ kind: 'oauth', accountId: juniper, scopes: ['repo', 'user'], oauthAppId }, 'juniper');
  await plant({ kind: 'user_to_server', accountId: juniper, appId }, 'juniper');
  const { permissions } = app;
  const hour = new Date(now.getTime() + installationTokenLife);
  await plant({ kind: 'installation', permissions, appId, installationId, expiresAt: hour }, app.slug);
  const run = { contents: 'write', metadata: 'read' } as const;
  const repositories = [of(planted, 'harbor-lab/compass')];
  await plant(
    { kind: 'workflow', permissions: run, repositories, expiresAt: new Date(now.getTime() + day) },
    'compass',
  );
}
