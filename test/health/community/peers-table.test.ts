import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createVisibleAccounts, signIn, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const day = 24 * 3_600_000;

const ask = (from: TestAccount, to: TestAccount | number) =>
  send(gateway, 'POST', '/community/peers/connect/', { receiver_id: typeof to === 'number' ? to : to.id }, from.access);
const answer = (id: number, status: string, who: TestAccount) =>
  send(gateway, 'PATCH', `/community/peers/${id}/`, { status }, who.access);

async function pair(): Promise<[a: TestAccount, b: TestAccount]> {
  return (await createVisibleAccounts(gateway, [{ first_name: 'Asker' }, { first_name: 'Bea' }])) as [
    TestAccount,
    TestAccount,
  ];
}

type From =
  | 'none'
  | 'pending'
  | 'accepted'
  | 'declined by B'
  | 'disconnected by A'
  | 'blocked by B'
  | 'blocked by A'
  | 'unblocked by B';

/** Steps into each state, with A asking B. Return the id of the connection. */
const ways: Record<From, (a: TestAccount, b: TestAccount) => Promise<number>> = {
  none: async () => 0,
  pending: async (a: TestAccount, b: TestAccount) => (await ask(a, b)).json.id,
  accepted: async (a: TestAccount, b: TestAccount) => {
    const id = await ways.pending(a, b);
    await answer(id, 'accepted', b);
    return id;
  },
  'declined by B': async (a: TestAccount, b: TestAccount) => {
    const id = await ways.pending(a, b);
    await answer(id, 'declined', b);
    return id;
  },
  'disconnected by A': async (a: TestAccount, b: TestAccount) => {
    const id = await ways.accepted(a, b);
    await answer(id, 'declined', a);
    return id;
  },
  'blocked by B': async (a: TestAccount, b: TestAccount) => {
    const id = await ways.pending(a, b);
    await answer(id, 'blocked', b);
    return id;
  },
  'blocked by A': async (a: TestAccount, b: TestAccount) => {
    const id = await ways.accepted(a, b);
    await answer(id, 'blocked', a);
    return id;
  },
  'unblocked by B': async (a: TestAccount, b: TestAccount) => {
    const id = await ways['blocked by B'](a, b);
    await answer(id, 'declined', b);
    return id;
  },
};

type Action = 'connect' | 'accepted' | 'declined' | 'blocked';
/** Expected status, and the resulting state with the asking user; `gone`: no row. */
type Outcome = `${number} ${'pending' | 'accepted' | 'declined' | 'blocked' | 'gone'}${'' | ' A→B' | ' B→A'}`;

const table: Record<From, Partial<Record<`${'A' | 'B'} ${Action}`, Outcome>>> = {
  none: { 'A connect': '201 pending A→B' },
  pending: {
    'A connect': '400 pending A→B',
    'A accepted': '403 pending A→B',
    'A declined': '200 gone',
    'A blocked': '200 blocked',
    'B connect': '201 accepted A→B',
    'B accepted': '200 accepted A→B',
    'B declined': '200 declined A→B',
    'B blocked': '200 blocked',
  },
  accepted: {
    'A connect': '400 accepted',
    'A accepted': '200 accepted A→B',
    'A declined': '200 declined',
    'A blocked': '200 blocked',
    'B connect': '400 accepted',
    'B accepted': '200 accepted A→B',
    'B declined': '200 declined',
    'B blocked': '200 blocked',
  },
  'declined by B': {
    'A connect': '400 declined A→B',
    'A accepted': '400 declined A→B',
    'A declined': '200 declined A→B',
    'A blocked': '200 blocked',
    'B connect': '201 pending B→A',
    'B accepted': '400 declined A→B',
    'B declined': '200 declined A→B',
    'B blocked': '200 blocked',
  },
  'disconnected by A': {
    'A connect': '201 pending A→B',
    'A accepted': '400 declined',
    'A declined': '200 declined',
    'A blocked': '200 blocked',
    'B connect': '400 declined',
    'B accepted': '400 declined',
    'B declined': '200 declined',
    'B blocked': '200 blocked',
  },
  'blocked by B': {
    'A connect': '404 blocked',
    'A accepted': '404 blocked',
    'A declined': '404 blocked',
    'A blocked': '404 blocked',
    'B connect': '404 blocked',
    'B accepted': '400 blocked',
    'B declined': '200 declined',
    'B blocked': '200 blocked',
  },
  'blocked by A': {
    'A connect': '404 blocked',
    'A accepted': '400 blocked',
    'A declined': '200 declined',
    'A blocked': '200 blocked',
    'B connect': '404 blocked',
    'B accepted': '404 blocked',
    'B declined': '404 blocked',
    'B blocked': '404 blocked',
  },
  'unblocked by B': {
    'A connect': '400 declined',
    'A accepted': '400 declined',
    'A declined': '200 declined',
    'A blocked': '200 blocked',
    'B connect': '201 pending B→A',
    'B accepted': '400 declined',
    'B declined': '200 declined',
    'B blocked': '200 blocked',
  },
};

interface Row {
  id: number;
  status: string;
  asker: number;
  blockedBy: number | null;
}

async function rowOf(a: TestAccount, b: TestAccount): Promise<Row | undefined> {
  const { rows } =
    await sql<Row>`select id, status, asker_id as asker, blocked_by_id as "blockedBy" from peer_connection
    where least(asker_id, asked_id) = least(${a.id}::bigint, ${b.id}::bigint)
      and greatest(asker_id, asked_id) = greatest(${a.id}::bigint, ${b.id}::bigint)`.execute(gateway.database.sql);
  expect(rows.length).toBeLessThanOrEqual(1);
  return rows[0];
}

for (const [from, moves] of Object.entries(table) as [From, (typeof table)[From]][]) {
  describe(from, () => {
    test.each(Object.entries(moves))('%s → %s', async (move, outcome) => {
      const [a, b] = await pair();
      const id = await ways[from](a, b);
      const [actor, action] = move.split(' ') as ['A' | 'B', Action];
      const who = actor === 'A' ? a : b;
      const other = actor === 'A' ? b : a;
      const got = action === 'connect' ? await ask(who, other) : await answer(id, action, who);
      const [status, state = '', direction] = outcome.split(' ');
      const row = await rowOf(a, b);
      expect({ status: got.status, state: row?.status ?? 'gone', body: got.status < 300 ? '' : got.text }).toEqual({
        status: Number(status),
        state,
        body: got.status < 300 ? '' : expect.any(String),
      });
      if (direction) expect(row?.asker).toBe(direction === 'A→B' ? a.id : b.id);
      if (got.status >= 300) return;
      // A withdrawn request is reported as declined, because its row is deleted.
      expect(got.json).toMatchObject({ status: state === 'gone' ? 'declined' : state, peer: { id: other.id } });
      expect(got.json.chat_id === null).toBe(
        !(state === 'accepted' || ['accepted', 'disconnected by A', 'blocked by A'].includes(from)),
      );
    });
  });
}

describe('third parties', () => {
  test.each(['pending', 'accepted', 'declined by B', 'blocked by B'] as const)(
    'finds no connection that is %s',
    async from => {
      const [a, b] = await pair();
      const [third] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
      const id = await ways[from](a, b);
      const before = await rowOf(a, b);
      for (const status of ['accepted', 'declined', 'blocked']) {
        expect(await answer(id, status, third)).toMatchObject({
          status: 404,
          json: { detail: 'Not found.', code: 'not_found' },
        });
      }
      expect(await rowOf(a, b)).toEqual(before);
    },
  );
});

describe('users who cannot be asked', () => {
  test('get the same response after the same statements, whatever the reason', async () => {
    const [a, b] = await pair();
    await ways['blocked by B'](a, b);
    const [guest, inactive, deleted, invisible] = (await createVisibleAccounts(gateway, [
      { is_guest: true, email: null },
      { is_active: false },
      { deleted_at: '2026-10-01T00:00:00Z', is_active: false },
      { is_visible_in_community: false },
    ])) as [TestAccount, TestAccount, TestAccount, TestAccount];
    const seen = new Set<string>();
    for (const to of [987_654_321, guest, inactive, deleted, invisible, b]) {
      let told = '';
      const statements = await gateway.statements(async () => {
        const { status, text } = await ask(a, to);
        told = `${status} ${text}`;
      });
      seen.add(JSON.stringify([told, statements]));
    }
    expect([...seen]).toHaveLength(1);
    expect([...seen][0]).toMatch(/404 .*Not found/);
  });

  test('include hidden users unless they have asked before', async () => {
    const [a] = await pair();
    const [hidden] = (await createVisibleAccounts(gateway, [{ is_visible_in_community: false }])) as [TestAccount];
    expect((await ask(hidden, a)).status).toBe(201);
    expect(await ask(a, hidden)).toMatchObject({ status: 201, json: { status: 'accepted' } });
  });

  test('include the caller, with an own message', async () => {
    const [a] = await pair();
    expect(await ask(a, a)).toMatchObject({
      status: 400,
      json: { receiver_id: ['You cannot send a connection request to yourself.'] },
    });
  });
});

describe('asking again', () => {
  test('is possible 30 days after being declined, three times in all', async () => {
    const [a, b] = await pair();
    const start = gateway.clock.now;
    const later = { receiver_id: ['You cannot send another request yet.'] };
    try {
      for (const attempt of [1, 2, 3]) {
        const asked = await ask(a, b);
        expect({ attempt, status: asked.status }).toEqual({ attempt, status: 201 });
        await answer(asked.json.id, 'declined', b);
        gateway.clock.now = new Date(gateway.clock.now.getTime() + 30 * day - 1000);
        await refreshed(a, b);
        expect(await ask(a, b)).toMatchObject({ status: 400, json: later });
        gateway.clock.now = new Date(gateway.clock.now.getTime() + 1000);
        await refreshed(a, b);
      }
      expect(await ask(a, b)).toMatchObject({ status: 400, json: later });
      // The user who declined may ask at any time.
      expect((await ask(b, a)).status).toBe(201);
    } finally {
      gateway.clock.now = start;
    }
  });

  test('is not reset by withdrawing', async () => {
    const [a, b] = await pair();
    const start = gateway.clock.now;
    try {
      const { id } = (await ask(a, b)).json;
      await answer(id, 'declined', b);
      gateway.clock.now = new Date(start.getTime() + 31 * day);
      await refreshed(a, b);
      expect((await ask(a, b)).status).toBe(201);
      expect((await answer(id, 'declined', a)).json.status).toBe('declined');
      expect((await ask(a, b)).status).toBe(400);
      expect((await rowOf(a, b))?.status).toBe('declined');
    } finally {
      gateway.clock.now = start;
    }
  });

  /** Access tokens are valid for 15 minutes, and the test clock advances by months. */
  async function refreshed(...all: TestAccount[]): Promise<void> {
    for (const one of all) Object.assign(one, await signIn(gateway, one.id));
  }
});

describe('concurrent requests', () => {
  test('of two users to each other connect them, with one chat', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = await pair();
      const answers = await Promise.all([ask(a, b), ask(b, a)]);
      expect(answers.map(one => one.status)).toEqual([201, 201]);
      expect(answers.map(one => one.json.status).toSorted()).toEqual(['accepted', 'pending']);
      expect((await rowOf(a, b))?.status).toBe('accepted');
      const { rows } = await sql`select 1 from private_chat where low_id = ${Math.min(a.id, b.id)}
        and high_id = ${Math.max(a.id, b.id)}`.execute(gateway.database.sql);
      expect(rows).toHaveLength(1);
    }
  });

  test('to accept and to block end blocked in either order', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = await pair();
      const id = await ways.pending(a, b);
      await Promise.all([answer(id, 'accepted', b), answer(id, 'blocked', a)]);
      expect(await rowOf(a, b)).toMatchObject({ status: 'blocked', blockedBy: a.id });
    }
  });

  test('to block each other leave one block', async () => {
    const [a, b] = await pair();
    const id = await ways.accepted(a, b);
    const answers = await Promise.all([answer(id, 'blocked', a), answer(id, 'blocked', b)]);
    expect(answers.map(one => one.status).toSorted()).toEqual([200, 404]);
  });
});

describe('request bodies', () => {
  test('accept an action verb, and refuse other words', async () => {
    const [a, b] = await pair();
    const id = await ways.pending(a, b);
    const patch = (body: unknown) => send(gateway, 'PATCH', `/community/peers/${id}/`, body, b.access);
    expect(await patch({ status: 'pending' })).toMatchObject({
      status: 400,
      json: { status: ['"pending" is not a valid choice.'] },
    });
    expect(await patch({})).toMatchObject({ status: 400, json: { status: ['This field is required.'] } });
    expect(await patch({ action: 'accept' })).toMatchObject({ status: 200, json: { status: 'accepted' } });
  });

  test('accept legacy field names, and a reason', async () => {
    const [a, b] = await pair();
    const body = { receiver: b.id, match_reason: ' Similar: flu ' };
    const asked = await send(gateway, 'POST', '/community/peers/connect/', body, a.access);
    expect(asked.json).toEqual({
      id: expect.any(Number),
      requester: { id: a.id, full_name: a.name, profile_picture: null },
      receiver: { id: b.id, full_name: 'Bea N', profile_picture: null },
      peer: { id: b.id, full_name: 'Bea N', profile_picture: null },
      status: 'pending',
      match_reason: 'Similar: flu',
      chat_id: null,
      created_at: '2026-11-01T12:00:00.000000Z',
      responded_at: null,
    });
    const long = { user_id: b.id, match_reason: 'x'.repeat(256) };
    expect((await send(gateway, 'POST', '/community/peers/connect/', long, a.access)).json).toEqual({
      match_reason: ['Ensure this field has no more than 255 characters.'],
    });
  });
});

describe('lists', () => {
  test('return accepted connections, and others by status', async () => {
    const [me, ...others] = (await createVisibleAccounts(gateway, 6)) as [TestAccount, ...TestAccount[]];
    const [accepted, incoming, outgoing, declined, blocking] = others as [
      TestAccount,
      TestAccount,
      TestAccount,
      TestAccount,
      TestAccount,
    ];
    await ways.accepted(me, accepted);
    await ways.pending(incoming, me);
    await ways.pending(me, outgoing);
    await ways['declined by B'](me, declined);
    await ways['blocked by B'](me, blocking);
    const list = async (query: string): Promise<number[]> => {
      const { status, json } = await send(
        gateway,
        'GET',
        `/community/peers/connections/${query}`,
        undefined,
        me.access,
      );
      expect({ query, status }).toEqual({ query, status: 200 });
      expect(json.count).toBe(json.results.length);
      return json.results.map((one: { peer: { id: number } }) => one.peer.id);
    };
    expect(await list('')).toEqual([accepted.id]);
    expect(await list('?status=pending')).toEqual([outgoing.id, incoming.id]);
    expect(await list('?status=pending&direction=incoming')).toEqual([incoming.id]);
    expect(await list('?status=pending&direction=outgoing&ordering=created_at')).toEqual([outgoing.id]);
    // A declined user sees no trace of the request; a blocked user sees nothing.
    expect(await list('?status=declined')).toEqual([]);
    expect(await list('?status=blocked')).toEqual([]);
    expect(await list(`?search=${accepted.name.split(' ')[1]}`)).toEqual([accepted.id]);
    expect(await list('?search=nobody')).toEqual([]);
    const { json: bad } = await send(gateway, 'GET', '/community/peers/connections/?status=x', undefined, me.access);
    expect(bad).toEqual({ status: ['Select a valid choice. x is not one of the available choices.'] });
    const requests = await send(gateway, 'GET', '/community/peers/requests/', undefined, me.access);
    expect(requests.json.map((one: { peer: { id: number } }) => one.peer.id)).toEqual([incoming.id]);
    const theirs = await send(
      gateway,
      'GET',
      '/community/peers/connections/?status=blocked',
      undefined,
      blocking.access,
    );
    expect(theirs.json.results).toMatchObject([{ status: 'blocked', peer: { id: me.id } }]);
  });

  test('page in a total order', async () => {
    const [me, ...others] = (await createVisibleAccounts(gateway, 8)) as [TestAccount, ...TestAccount[]];
    for (const other of others) await ways.accepted(me, other);
    const seen: number[] = [];
    for (let path = '/community/peers/connections/?page_size=3'; path !== ''; ) {
      const { json } = await send(gateway, 'GET', path, undefined, me.access);
      seen.push(...json.results.map((one: { peer: { id: number } }) => one.peer.id));
      path = json.next === null ? '' : json.next.replace(/^.*\/api\/v1/, '');
    }
    expect(seen).toEqual(others.map(one => one.id).toReversed());
    const statements = await gateway.statements(() =>
      send(gateway, 'GET', '/community/peers/connections/', undefined, me.access),
    );
    expect(statements.filter(text => text.includes('peer_connection'))).toHaveLength(2);
  });
});
