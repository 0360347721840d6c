import { afterEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { testGateway } from '../harness/gateway.ts';
import { mintsOf } from './delegation-mints.ts';
import { delegationWorld } from './delegation-world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const world = await delegationWorld(gateway);
const { wren, demo } = world;
/** One variant of each mutation, and both kinds of app that a user can authorize. */
const ways = Object.entries(mintsOf(world)).flatMap(([mutation, variants]) =>
  Object.entries(variants)
    .filter(([variant], at) => at === 0 || variant === 'an app')
    .map(([variant, mint]) => ({ mutation, variant, mint })),
);

const later = (milliseconds: number): void => {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + milliseconds);
};
// Ten refused credentials of an owner within 15 minutes lock the owner.
afterEach(() => later(16 * 60_000));
/** How long a cached credential is trusted without a notification, in milliseconds. Afterwards only the rows count. */
const belief = 5_000;

/** Ways in which a token ends, each with its reversal for later tests. */
const endings: Record<string, { end(id: number): Promise<void>; after?(): Promise<void> }> = {
  'is revoked': {
    async end(id) {
      const tokenId = encodeGlobalId('Token', id);
      const query = `mutation { revokeToken(input: { tokenId: "${tokenId}" }) { deletedId } }`;
      expect(await world.ask(query, demo.users.wren.classic_token)).toEqual({
        data: { revokeToken: { deletedId: tokenId } },
      });
    },
  },
  'is forgotten': {
    async end(id) {
      await sql`delete from host_credential where id = ${id}`.execute(world.db);
      later(belief);
    },
  },
  expires: {
    async end() {
      later(600_000);
    },
  },
  'is of a suspended account': {
    async end() {
      await sql`update account set suspended_at = now() where id = ${wren}`.execute(world.db);
      later(belief);
    },
    async after() {
      await sql`update account set suspended_at = null where id = ${wren}`.execute(world.db);
      later(belief);
    },
  },
};

describe.each(Object.keys(endings))('when a token %s', name => {
  test.each(ways)('what it created ends with it: $mutation, $variant', async ({ mint }) => {
    const { id, token } = await world.classic(tokenScopeNames, new Date(gateway.clock.now.getTime() + 600_000));
    const child = await mint(`Bearer ${token}`);
    if (!child) throw new Error('It was not made.');
    expect(await world.isKnown(child.header)).toBe(true);
    await endings[name]?.end(id);
    try {
      expect(await world.worth(child.header, child.gained)).toEqual([]);
      // A token that was only authorized somewhere remains a token.
      if (!child.gained) expect(await world.isKnown(child.header)).toBe(false);
    } finally {
      await endings[name]?.after?.();
    }
  });
});

test.each(ways)('what a token loses, what it created loses: $mutation, $variant', async ({ mint }) => {
  const { id, token } = await world.classic(tokenScopeNames);
  const child = await mint(`Bearer ${token}`);
  if (!child) throw new Error('It was not made.');
  for (const scopes of [['repo', 'user'], ['public_repo'], ['admin:org']]) {
    await sql`update host_credential set scopes = ${scopes} where id = ${id}`.execute(world.db);
    await sql`delete from sso_authorization where credential_id = ${id}`.execute(world.db);
    later(belief);
    if (child.gained) continue;
    const own = await world.worth(`Bearer ${token}`);
    expect((await world.worth(child.header)).filter(one => !own.includes(one))).toEqual([]);
  }
});
