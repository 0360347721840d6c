import { createPublicKey } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { installationTokenLifetimeMs } from '../../src/auth/credentials/installation-token.ts';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import { storedHash } from '../../src/auth/hosting-token.ts';
import { createUser, insertAccount } from '../../src/hosting/accounts/create-user.ts';
import { insertAppKey } from '../../src/hosting/apps/add-app-key.ts';
import { registerWellKnownClient, wellKnownClients } from '../../src/hosting/apps/well-known-clients.ts';
import { insertCredential, type NewCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { type NewEvent, recordEvents } from '../../src/hosting/events/record-events.ts';
import { repositoryCreatedEvent } from '../../src/hosting/repositories/create-repository.ts';
import {
  app,
  collaborators,
  fineGrained,
  type Login,
  oauthApp,
  organizations,
  repositories,
  users,
} from './demo-accounts.ts';
import { demoAppKey, demoClientId, demoClientSecret, demoToken } from './demo-secrets.ts';
import { pusherOf, seedGit } from './seed-git.ts';
import { seedRefusedPush, seedRulesets } from './seed-rulesets.ts';
import { seedDeliveryCounts, seedUsage } from './seed-usage.ts';

const dayMs = 24 * 60 * 60_000;

/** Seeds the hosting demo data: accounts, repositories with contents, an app, and a token of each kind. */
export async function seedHosting(em: EntityManager, keys: DerivedKeys, now: Date): Promise<void> {
  const db = em.getKysely() as unknown as Kysely<unknown>;
  const accounts = await seedAccounts(db, now);
  const repositoryIds = await seedRepositories(db, accounts, now);
  // An hour ago, because the public event feed is delayed by five minutes.
  const before = new Date(now.getTime() - 60 * 60_000);
  await seedEvents(db, { accounts, repositoryIds }, before);
  // Before the first push, so that pushes are evaluated.
  await seedRulesets(db, { accounts, repositoryIds }, before);
  await seedGit(db, { repositories: repositoryIds, accounts }, before);
  await seedRefusedPush(db, { accounts, repositoryIds }, before);
  const apps = await seedApps(db, keys, accounts, now);
  await seedTokens(db, keys, { accounts, repositoryIds, ...apps }, now);
  await seedUsage(db, now);
  await seedDeliveryCounts(db, now);
}

type IdsByName = Map<string, number>;

/** Id of an object seeded by this file. */
function getId(numbers: IdsByName, name: string): number {
  const id = numbers.get(name);
  if (id === undefined) throw new Error(`The demo data refers to ${name}, which does not exist.`);
  return id;
}

async function seedAccounts(db: Kysely<unknown>, now: Date): Promise<IdsByName> {
  const accounts: IdsByName = new Map();
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
        values (${id}, ${getId(accounts, member)}, ${role}, ${role === 'admin'}, ${now})`.execute(db);
    }
  }
  await sql`insert into follow (follower_id, followed_id, followed_at)
    values (${getId(accounts, 'linh')}, ${getId(accounts, 'juniper')}, ${now}), (${getId(accounts, 'juniper')}, ${getId(accounts, 'wren')}, ${now})`.execute(
    db,
  );
  return accounts;
}

async function seedRepositories(db: Kysely<unknown>, accounts: IdsByName, now: Date): Promise<IdsByName> {
  const repositoryIds: IdsByName = new Map();
  for (const { owner, name, description, isPrivate = false, isArchived = false, fork, topics = [] } of repositories) {
    const parent = fork === undefined ? null : getId(repositoryIds, fork);
    const made = await sql<{ id: number }>`
      insert into repository (owner_id, name, description, is_private, is_archived, topics, parent_id, network_root_id,
        created_at, updated_at)
      values (${getId(accounts, owner)}, ${name}, ${description}, ${isPrivate}, ${isArchived}, ${[...topics]}, ${parent},
        ${parent}, ${now}, ${now}) returning id`.execute(db);
    repositoryIds.set(`${owner}/${name}`, made.rows[0]?.id ?? 0);
  }
  for (const { repository, login, role } of collaborators) {
    await sql`insert into collaborator (repository_id, account_id, role, since)
      values (${getId(repositoryIds, repository)}, ${getId(accounts, login)}, ${role}, ${now})`.execute(db);
  }
  const compass = getId(repositoryIds, 'harbor-lab/compass');
  // A former name, to demonstrate redirects.
  await sql`insert into former_repository_name (owner_id, name, repository_id, left_at)
    values (${getId(accounts, 'harbor-lab')}, 'needle', ${compass}, ${now})`.execute(db);
  for (const login of stargazers) {
    await sql`insert into star (account_id, repository_id, starred_at) values (${getId(accounts, login)}, ${compass}, ${now})`.execute(
      db,
    );
  }
  await sql`insert into watch (account_id, repository_id, watched_at) values (${getId(accounts, 'linh')}, ${compass}, ${now})`.execute(
    db,
  );
  return repositoryIds;
}

/** Stargazers of harbor-lab/compass. */
const stargazers = ['juniper', 'linh', 'okello'];

/** Events of created repositories, forks, collaborators and stars; pushes record their own. */
async function seedEvents(
  db: Kysely<unknown>,
  { accounts, repositoryIds }: { accounts: IdsByName; repositoryIds: IdsByName },
  at: Date,
): Promise<void> {
  const record = (repository: string, login: string, event: NewEvent): Promise<void> =>
    recordEvents(
      db,
      { repositoryId: getId(repositoryIds, repository), by: { accountId: getId(accounts, login) }, at },
      [event],
    );
  for (const { owner, name, fork, description } of repositories) {
    const by = pusherOf(owner);
    const forkeeId = getId(repositoryIds, `${owner}/${name}`);
    if (fork === undefined) await record(`${owner}/${name}`, by, repositoryCreatedEvent({ name, description }));
    else await record(fork, by, { type: 'ForkEvent', facts: { forkeeId } });
  }
  for (const { repository, login } of collaborators) {
    const [owner = ''] = repository.split('/');
    await record(repository, pusherOf(owner), { type: 'MemberEvent', facts: { memberId: getId(accounts, login) } });
  }
  for (const login of stargazers) await record('harbor-lab/compass', login, { type: 'WatchEvent', facts: {} });
}

async function seedApps(db: Kysely<unknown>, keys: DerivedKeys, accounts: IdsByName, now: Date) {
  const owner = getId(accounts, app.owner);
  const made = await sql<{ id: number }>`
    insert into app (owner_id, slug, name, client_id, client_secret_hash, description, external_url, permissions, events,
      created_at, updated_at)
    values (${owner}, ${app.slug}, ${app.name}, ${demoClientId(keys, 'Iv')}, ${storedHash(demoClientSecret(keys, 'Iv'))},
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
    values (${getId(accounts, oauthApp.owner)}, ${oauthApp.name}, ${demoClientId(keys, 'Ov')},
      ${storedHash(demoClientSecret(keys, 'Ov'))}, 'https://lighthouse.example.org',
      'https://lighthouse.example.org/back', ${now}) returning id`.execute(db);
  const gh = wellKnownClients.get('gh');
  if (gh) await registerWellKnownClient(db, gh, getId(accounts, oauthApp.owner), now);
  return { appId, installationId: installed.rows[0]?.id ?? 0, oauthAppId: lighthouse.rows[0]?.id ?? 0 };
}

interface Planted {
  accounts: IdsByName;
  repositoryIds: IdsByName;
  appId: number;
  installationId: number;
  oauthAppId: number;
}

async function seedTokens(db: Kysely<unknown>, keys: DerivedKeys, world: Planted, now: Date): Promise<void> {
  const { accounts, repositoryIds, appId, installationId, oauthAppId } = world;
  const plant = async (one: NewCredential, whose: string): Promise<number> =>
    (await insertCredential(db, one, now, demoToken(keys, one.kind, whose))).credential.databaseId;
  for (const login of Object.keys(users) as Login[]) {
    const accountId = getId(accounts, login);
    const { owner, permissions } = fineGrained[login];
    const classic = await plant({ kind: 'classic', accountId, note: 'demo', scopes: users[login].classic }, login);
    await plant(
      { kind: 'fine_grained', accountId, note: 'demo', permissions, resourceOwnerId: getId(accounts, owner) },
      login,
    );
    if (login === 'wren') {
      await sql`insert into sso_authorization (credential_id, organization_id, authorized_at)
        values (${classic}, ${getId(accounts, 'northgate')}, ${now})`.execute(db);
    }
  }
  const juniper = getId(accounts, 'juniper');
  await plant({ kind: 'oauth', accountId: juniper, scopes: ['repo', 'user'], oauthAppId }, 'juniper');
  await plant({ kind: 'user_to_server', accountId: juniper, appId }, 'juniper');
  const { permissions } = app;
  const hour = new Date(now.getTime() + installationTokenLifetimeMs);
  await plant({ kind: 'installation', permissions, appId, installationId, expiresAt: hour }, app.slug);
  const run = { contents: 'write', metadata: 'read' } as const;
  const repositories = [getId(repositoryIds, 'harbor-lab/compass')];
  await plant(
    { kind: 'workflow', permissions: run, repositories, expiresAt: new Date(now.getTime() + dayMs) },
    'compass',
  );
  await plant({ kind: 'service', note: 'usage board' }, 'usage board');
}
