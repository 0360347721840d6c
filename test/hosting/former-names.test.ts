import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Actor } from '../../src/auth/actor.ts';
import { CredentialStore } from '../../src/auth/credentials/credential-store.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { SessionTokens } from '../../src/auth/session-tokens.ts';
import { readConfig } from '../../src/config/config.ts';
import { PublicOrigin } from '../../src/config/public-origin.ts';
import { createContext } from '../../src/context/context.ts';
import { accountByFormerLogin } from '../../src/hosting/accounts/accounts.queries.ts';
import { repositoryByFormerName } from '../../src/hosting/repositories/repositories.queries.ts';
import { writableBy } from '../../src/hosting/repositories/repository-access.ts';
import { findResource, type ResourceLookup } from '../../src/hosting/resources/find-resource.ts';
import { openRateLimiter } from '../../src/limits/open-rate-limiter.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, globalIdOf, graphql } from '../harness/hosting.ts';
import { testSecret } from '../harness/secret.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { wren, juniper, linh } = demo.users;
const { read } = gateway.database;
const anybody: Actor = { kind: 'anonymous', ip: '' };
const user = async (login: string, scopes: string[] = ['repo']): Promise<Actor> => {
  const [found] = await read(sql<{ id: number }>`select id from account where login = ${login}`);
  const credential = { kind: 'classic', id: 0, expiresAt: null, scopes, ssoOrganizations: [] } as const;
  return { kind: 'user', ip: '', accountId: found?.id ?? 0, login, isSiteAdmin: false, credential };
};
const find = async (owner: string, name: string, actor: Actor = anybody) =>
  (await repositoryByFormerName({ actor, read }, owner, name))?.name ?? null;
const rename = async (owner: string, name: string, newName: string, token: string) =>
  graphql(
    gateway,
    'mutation($input: UpdateRepositoryInput!) { updateRepository(input: $input) { repository { name } } }',
    token,
    { input: { repositoryId: await globalIdOf(gateway, `${owner}/${name}`), name: newName } },
  );

describe('a repository by a former name', () => {
  test('case-insensitive; its current name does not redirect', async () => {
    expect(await find('harbor-lab', 'needle')).toBe('compass');
    expect(await find('Harbor-Lab', 'NEEDLE')).toBe('compass');
    expect(await find('harbor-lab', 'compass')).toBeNull();
    for (const name of ['nothing', '..', 'a/b', '%', '']) expect(await find('harbor-lab', name)).toBeNull();
  });

  test('by each of its former names, until another repository takes it', async () => {
    await rename('harbor-lab', 'tides', 'ebb', wren.classic_token);
    await rename('harbor-lab', 'ebb', 'flow', wren.classic_token);
    expect([await find('harbor-lab', 'tides'), await find('harbor-lab', 'ebb')]).toEqual(['flow', 'flow']);
    await graphql(
      gateway,
      'mutation($owner: ID!) { createRepository(input: { ownerId: $owner, name: "Ebb", visibility: PUBLIC }) { repository { id } } }',
      wren.classic_token,
      { owner: await globalIdOf(gateway, 'harbor-lab') },
    );
    expect([await find('harbor-lab', 'tides'), await find('harbor-lab', 'ebb')]).toEqual(['flow', null]);
    await rename('harbor-lab', 'flow', 'tides', wren.classic_token);
    expect([await find('harbor-lab', 'tides'), await find('harbor-lab', 'flow')]).toEqual([null, 'tides']);
  });

  test('only for those who can see it', async () => {
    await rename('juniper', 'notebook', 'diary', juniper.classic_token);
    expect(await find('juniper', 'notebook')).toBeNull();
    expect(await find('juniper', 'notebook', await user('linh'))).toBeNull();
    expect(await find('juniper', 'notebook', await user('juniper'))).toBe('diary');
  });

  test('by a former login of its owner, and by both', async () => {
    await graphql(
      gateway,
      'mutation { renameViewer(input: { login: "linh-dao" }) { user { login } } }',
      linh.classic_token,
    );
    expect(await find('linh', 'attic')).toBe('attic');
    expect((await repositoryByFormerName({ actor: anybody, read }, 'linh', 'attic'))?.owner).toBe('linh-dao');
    expect(await accountByFormerLogin({ read }, 'LINH')).toMatchObject({ login: 'linh-dao' });
    expect(await accountByFormerLogin({ read }, 'linh-dao')).toBeNull();
    // The new account with the login is the target from then on.
    await graphql(
      gateway,
      'mutation { createOrganization(input: { login: "linh" }) { organization { login } } }',
      juniper.classic_token,
    );
    expect(await accountByFormerLogin({ read }, 'linh')).toBeNull();
    expect(await find('linh', 'attic')).toBeNull();
  });
});

test('resources by current names, former names and ids', async () => {
  const config = readConfig({ SECRET_KEY: testSecret });
  const keys = deriveKeys(config);
  const clock = () => gateway.clock.now;
  const { database } = gateway;
  const source = {
    config,
    database,
    clock,
    keys,
    tokens: new SessionTokens(keys.sessionTokens),
    credentials: new CredentialStore(read),
    publicOrigin: new PublicOrigin(config),
    rateLimiter: await openRateLimiter({ config, clock, log: console, read: database.read }),
  };
  const locate = async (kind: string, wish: ResourceLookup, actor: Actor = anybody) =>
    findResource(createContext(source, actor, gateway.url), kind, wish);
  const compass = await locate('repository', { names: { owner: 'Harbor-Lab', repo: 'COMPASS' } });
  expect(compass).toEqual({ id: expect.any(Number), names: { owner: 'harbor-lab', repo: 'compass' } });
  expect(await locate('repository', { id: compass?.id ?? 0 })).toEqual(compass);
  expect(await locate('repository', { names: { owner: 'harbor-lab', repo: 'needle' } })).toEqual({
    ...compass,
    hasMoved: true,
  });
  const ledger = { names: { owner: 'harbor-lab', repo: 'ledger' } };
  expect(await locate('repository', ledger)).toBeUndefined();
  const seen = await locate('repository', ledger, await user('wren'));
  expect(await locate('repository', { id: seen?.id ?? 0 })).toBeUndefined();
  const lab = await locate('organization', { names: { org: 'harbor-lab' } });
  expect(await locate('organization', { id: lab?.id ?? 0 })).toEqual(lab);
  expect(await locate('organization', { names: { org: 'wren' } })).toBeUndefined();
  const wrens = await locate('user', { names: { username: 'WREN' } });
  expect(wrens?.names).toEqual({ username: 'wren' });
  expect(await locate('organization', { id: wrens?.id ?? 0 })).toBeUndefined();
  expect(() => findResource(createContext(source, anybody, ''), 'moon', { id: 1 })).toThrow(TypeError);
  await graphql(
    gateway,
    `mutation { renameOrganization(input: { organizationId: "${await globalIdOf(gateway, 'harbor-lab')}", login: "port-lab" }) { organization { login } } }`,
    wren.classic_token,
  );
  expect(await locate('organization', { names: { org: 'Harbor-lab' } })).toEqual({
    id: lab?.id,
    names: { org: 'port-lab' },
    hasMoved: true,
  });
  expect(await locate('repository', { names: { owner: 'harbor-lab', repo: 'needle' } })).toMatchObject({
    names: { owner: 'port-lab', repo: 'compass' },
    hasMoved: true,
  });
});

test('writable repositories', async () => {
  const writable = async (actor: Actor): Promise<string[]> =>
    (
      await read(sql<{
        name: string;
      }>`select o.login || '/' || r.name as name from repository r join account o on o.id = r.owner_id
        where ${writableBy(actor)} order by 1`)
    ).map(({ name }) => name);
  expect(await writable(anybody)).toEqual([]);
  expect(await writable(await user('okello'))).toEqual(['juniper/diary']);
  expect(await writable(await user('okello', ['public_repo']))).toEqual([]);
  expect(await writable(await user('tomas'))).toEqual(['tomas/compass']);
});
