import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });

/** An action of one of three users on another. */
interface Step {
  from: 0 | 1 | 2;
  /** Which of the other two. */
  other: 0 | 1;
  act: 'connect' | 'accepted' | 'declined' | 'blocked' | 'write';
}

const step: fc.Arbitrary<Step> = fc.record({
  from: fc.constantFrom(0, 1, 2),
  other: fc.constantFrom(0, 1),
  act: fc.constantFrom('connect', 'accepted', 'declined', 'blocked', 'write', 'connect', 'accepted'),
});

/** Model of a pair's state, independent of the implementation. */
interface Standing {
  status: 'pending' | 'accepted' | 'declined' | 'blocked';
  asker: number;
  /** Who declined or blocked. */
  by: number | undefined;
  /** Whether the asking user was declined before and asks again. */
  repeated: boolean;
  chat: boolean;
}

type World = Map<string, Standing>;
const keyOf = (one: number, other: number): string => [one, other].toSorted().join('-');

/** Next state and expected status of a step. The clock does not advance, so 30 days never pass. */
function predict(world: World, who: number, other: number, act: Step['act']): number {
  const key = keyOf(who, other);
  const now = world.get(key);
  const set = (change: Partial<Standing>): void => {
    world.set(key, { status: 'pending', asker: who, by: undefined, repeated: false, chat: false, ...now, ...change });
  };
  if (act === 'write') return now?.status === 'accepted' ? 201 : 403;
  if (act === 'connect') {
    if (!now || (now.status === 'declined' && now.asker === -1)) {
      set({ status: 'pending', asker: who, by: undefined, repeated: false });
      return 201;
    }
    if (now.status === 'blocked') return 404;
    if (now.status === 'pending' && now.asker === other) {
      set({ status: 'accepted', chat: true, repeated: false });
      return 201;
    }
    if (now.status === 'declined' && now.by === who) {
      set({ status: 'pending', asker: who, repeated: true });
      return 201;
    }
    return 400;
  }
  if (!now || now.asker === -1 || (now.status === 'blocked' && now.by !== who)) return 404;
  if (act === 'blocked') {
    set({ status: 'blocked', by: who });
    return 200;
  }
  if (act === 'accepted') {
    if (now.status === 'accepted') return 200;
    if (now.status !== 'pending') return 400;
    if (now.asker === who) return 403;
    set({ status: 'accepted', chat: true, repeated: false });
    return 200;
  }
  if (now.status === 'pending' && now.asker === who) {
    // The chat outlives the connection, so the pair stays known, without a request.
    if (now.repeated) set({ status: 'declined' });
    else world.set(key, { ...now, asker: -1, status: 'declined', by: undefined });
    return 200;
  }
  if (now.status !== 'declined') set({ status: 'declined', by: who });
  return 200;
}

async function idOf(one: TestAccount, other: TestAccount): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from peer_connection
    where least(asker_id, asked_id) = ${Math.min(one.id, other.id)}
      and greatest(asker_id, asked_id) = ${Math.max(one.id, other.id)}`.execute(gateway.database.sql);
  expect(rows.length).toBeLessThanOrEqual(1);
  // An id that does not exist.
  return rows[0]?.id ?? 987_654_321;
}

async function perform(who: TestAccount, other: TestAccount, act: Step['act']): Promise<number> {
  if (act === 'connect')
    return (await send(gateway, 'POST', '/community/peers/connect/', { receiver_id: other.id }, who.access)).status;
  if (act === 'write')
    return (await send(gateway, 'POST', '/chat/messages/', { receiver_id: other.id, content: 'Hello' }, who.access))
      .status;
  const path = `/community/peers/${await idOf(who, other)}/`;
  return (await send(gateway, 'PATCH', path, { status: act }, who.access)).status;
}

/** Ids of the users that appear in any list of a user. */
async function met(who: TestAccount, paths: string[]): Promise<Set<number>> {
  const ids = new Set<number>();
  for (const path of paths) {
    const { status, json } = await send(gateway, 'GET', path, undefined, who.access);
    expect({ path, status }).toEqual({ path, status: 200 });
    for (const one of json.results ?? json) {
      for (const id of [one.peer?.id, one.user?.id, 'connection_id' in one ? one.id : undefined]) {
        if (typeof id === 'number') ids.add(id);
      }
    }
  }
  return ids;
}

/** Invariants, checked through the API and in the tables. */
async function assertInvariants(trio: readonly TestAccount[]): Promise<void> {
  const ids = trio.map(one => one.id);
  const { rows } = await sql<{ asker: number; asked: number; status: string; by: number | null; chats: number }>`
    select asker_id as asker, asked_id as asked, status, blocked_by_id as by,
      (select count(*)::int from private_chat where low_id = least(asker_id, asked_id)
        and high_id = greatest(asker_id, asked_id)) as chats
    from peer_connection where asker_id = any(${ids}) and asked_id = any(${ids})`.execute(gateway.database.sql);
  const pairs = rows.map(row => keyOf(row.asker, row.asked));
  expect(new Set(pairs).size).toBe(pairs.length);
  const accepted = rows.filter(row => row.status === 'accepted');
  expect(accepted.every(row => row.chats === 1)).toBe(true);
  for (const who of trio) {
    const blocks = rows.filter(row => row.status === 'blocked' && [row.asker, row.asked].includes(who.id));
    const strangers = blocks.map(row => (row.asker === who.id ? row.asked : row.asker));
    const seen = await met(who, [
      '/community/peers/connections/',
      '/community/peers/connections/?status=pending',
      '/community/peers/connections/?status=declined',
      '/community/peers/requests/',
      '/community/peers/suggested/',
      '/chat/users/',
      '/chat/private/',
    ]);
    expect(strangers.filter(id => seen.has(id))).toEqual([]);
    const blocked = await met(who, ['/community/peers/connections/?status=blocked']);
    expect([...blocked].toSorted()).toEqual(
      blocks
        .filter(row => row.by === who.id)
        .map(row => (row.asker === who.id ? row.asked : row.asker))
        .toSorted(),
    );
    const friends = accepted.filter(row => [row.asker, row.asked].includes(who.id));
    const writable = await met(who, ['/chat/users/']);
    expect(writable.size).toBe(friends.length);
  }
}

const bounded = { numRuns: 12, interruptAfterTimeLimit: 15_000 };
const trioOf = (): Promise<TestAccount[]> =>
  createVisibleAccounts(gateway, [{ conditions: '{gout}' }, { conditions: '{gout}' }, { conditions: '{gout}' }]);

test('every walk follows the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async steps => {
      const trio = await trioOf();
      const world: World = new Map();
      for (const [at, { from, other, act }] of steps.entries()) {
        const second = ([0, 1, 2] as const).filter(index => index !== from)[other] ?? 0;
        const expected = predict(world, from, second, act);
        const status = await perform(trio[from] as TestAccount, trio[second] as TestAccount, act);
        expect({ at, from, second, act, status }).toEqual({ at, from, second, act, status: expected });
      }
      await assertInvariants(trio);
    }),
    bounded,
  );
});

test('concurrent actions of three users keep the invariants', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      async rounds => {
        const trio = await trioOf();
        for (const round of rounds) {
          const statuses = await Promise.all(
            round.map(({ from, other, act }) => {
              const second = ([0, 1, 2] as const).filter(index => index !== from)[other] ?? 0;
              return perform(trio[from] as TestAccount, trio[second] as TestAccount, act);
            }),
          );
          expect(statuses.filter(status => ![200, 201, 400, 403, 404].includes(status))).toEqual([]);
        }
        await assertInvariants(trio);
      },
    ),
    bounded,
  );
});
