import { describe, expect, test } from '@jest/globals';
import { type GraphQLField, getNamedType, isObjectType } from 'graphql';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { readConfig } from '../../src/config/config.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { testGateway } from '../harness/gateway.ts';
import { mintsNothing, mintsOf } from './delegation-mints.ts';
import { delegationWorld, everyPermission } from './delegation-world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const world = await delegationWorld(gateway);
const mints = mintsOf(world);
const ways = Object.entries(mints).flatMap(([mutation, variants]) =>
  Object.entries(variants).map(([variant, mint]) => ({ mutation, variant, mint })),
);
const { wren, lab, oauthAppId, ledgerId, demo } = world;

/** Whether a mutation handles credentials: by its access word, or because its result has a secret. */
function handlesCredentials({ type, extensions }: GraphQLField<unknown, unknown>): boolean {
  const answer = getNamedType(type);
  const fields = isObjectType(answer) ? Object.keys(answer.getFields()) : [];
  return (
    ['tokens:write', 'app', 'oauth-app', 'installation', 'user'].includes(String(extensions.access)) ||
    fields.some(name => /^(token|clientSecret|privateKey|secret)$/.test(name))
  );
}

test('every mutation that handles credentials is tried here, or listed as creating none', () => {
  const fields = Object.values(buildGraph(readConfig({})).getMutationType()?.getFields() ?? {});
  const hosting = fields.filter(
    one => !['public', 'open', 'account', 'verified', 'companion'].includes(String(one.extensions.access)),
  );
  const names = hosting.filter(handlesCredentials).map(one => one.name);
  expect(names.toSorted()).toEqual([...Object.keys(mints), ...mintsNothing].toSorted());
});

/** Tokens without a parent, by kind and scopes or permissions. */
const parents: Record<string, () => Promise<string>> = {
  ...Object.fromEntries(
    [
      tokenScopeNames,
      ['user', 'repo', 'admin:org', 'workflow'],
      ['user', 'repo', 'admin:org'],
      ['user', 'admin:org', 'workflow'],
      ['user', 'public_repo', 'admin:org', 'workflow'],
      ['user', 'repo', 'workflow'],
      ['user'],
      ['repo', 'workflow', 'admin:org'],
    ].map(scopes => [
      `classic with ${scopes === tokenScopeNames ? 'everything' : scopes.join(', ')}`,
      async () => (await world.classic(scopes)).token,
    ]),
  ),
  'classic without single sign-on': async () =>
    (await world.insert({ kind: 'classic', accountId: wren, scopes: tokenScopeNames })).token,
  'oauth with everything': async () =>
    (await world.insert({ kind: 'oauth', accountId: wren, oauthAppId, scopes: tokenScopeNames })).token,
  'oauth with repo': async () =>
    (await world.insert({ kind: 'oauth', accountId: wren, oauthAppId, scopes: ['repo'] })).token,
  'fine-grained with everything': async () =>
    (
      await world.insert({
        kind: 'fine_grained',
        accountId: wren,
        resourceOwnerId: lab,
        permissions: everyPermission as never,
      })
    ).token,
  'fine-grained with contents: read, where single sign-on is': async () =>
    (
      await world.insert({
        kind: 'fine_grained',
        accountId: wren,
        resourceOwnerId: world.northgate,
        permissions: { contents: 'read' },
      })
    ).token,
  'user-to-server': async () =>
    (await world.insert({ kind: 'user_to_server', accountId: wren, appId: demo.app.id })).token,
  installation: async () => demo.tokens.installation,
  workflow: async () =>
    (
      await world.insert({
        kind: 'workflow',
        permissions: { contents: 'write', administration: 'write' },
        repositories: [ledgerId],
      })
    ).token,
};

describe.each(Object.keys(parents))('what is created with a token: %s', name => {
  test('does no more than the token', async () => {
    const parent = `Bearer ${await parents[name]?.()}`;
    const own = await world.worth(parent);
    const beyondIt = Object.keys(world.probes).filter(one => !own.includes(one));
    const beyond: Record<string, string[]> = {};
    for (const { mutation, variant, mint } of ways) {
      const child = await mint(parent);
      const asked = beyondIt.filter(one => child?.gained?.includes(one) ?? true);
      const more = child ? await world.worth(child.header, asked) : [];
      if (more.length > 0) beyond[`${mutation}: ${variant}`] = more;
    }
    expect(beyond).toEqual({});
  });
});

test('a token with all rights creates something in every way', async () => {
  const parent = `Bearer ${(await world.classic(tokenScopeNames)).token}`;
  const refused: string[] = [];
  const worthless: string[] = [];
  for (const { mutation, variant, mint } of ways) {
    const child = await mint(parent);
    if (!child) refused.push(`${mutation}: ${variant}`);
    else if (variant === 'everything' && (await world.worth(child.header, child.gained)).length === 0)
      worthless.push(mutation);
  }
  expect({ refused, worthless }).toEqual({ refused: [], worthless: [] });
});
