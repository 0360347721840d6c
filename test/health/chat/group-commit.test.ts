import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { commitOnceAwaited } from '../../harness/commit-once-awaited.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const beside = await testGateway({ beside: gateway });
const [admin, removed, stranger, ...crowd] = (await createVisibleAccounts(gateway, 16)) as [
  TestAccount,
  TestAccount,
  TestAccount,
  ...TestAccount[],
];

const run = <Row>(statement: RawBuilder<Row>) => statement.execute(gateway.database.sql);
const write = (who: TestAccount, body: object, through = gateway) =>
  send(through, 'POST', '/chat/messages/', body, who.access);

/** A group of these people, the first as admin. */
async function groupOf(...members: readonly TestAccount[]): Promise<string> {
  const [first = admin, ...others] = members;
  const { json } = await send(gateway, 'POST', '/chat/groups/', { name: 'Room' }, first.access);
  for (const one of others) await send(gateway, 'POST', `/chat/groups/${json.id}/join/`, undefined, one.access);
  return json.id;
}

/** What is stored of a group, newest last. */
async function storedIn(id: string) {
  const { rows: messages } = await run(sql<{ content: string; ordinal: number; sentAt: string }>`
    select content, ordinal, sent_at as "sentAt" from chat_message where group_id = ${id} order by sent_at, id`);
  const { rows } = await run(sql<{ count: number; isNewest: boolean }>`select message_count as count,
    last_message_at is not distinct from (select max(sent_at) from chat_message where group_id = ${id}) as "isNewest"
    from chat_group where id = ${id}`);
  return { messages, ...rows[0] };
}

const lockOf = (id: string) => sql`select from chat_group where id = ${id} for no key update`;

describe('messages that wait for one room', () => {
  test('are all stored, numbered in the order of their times', async () => {
    const room = await groupOf(admin, ...crowd);
    await commitOnceAwaited(gateway, [lockOf(room)], () =>
      Promise.all(crowd.map((one, at) => write(one, { group_id: room, content: `${at}` }))),
    );
    const { messages, count, isNewest } = await storedIn(room);
    expect({ count, isNewest }).toEqual({ count: crowd.length, isNewest: true });
    expect(messages.map(one => one.ordinal)).toEqual(crowd.map((_, at) => at + 1));
    expect(new Set(messages.map(one => one.sentAt)).size).toBe(crowd.length);
  });

  test('of someone who is no member fail alone', async () => {
    const room = await groupOf(admin, ...crowd);
    const answers = await commitOnceAwaited(gateway, [lockOf(room)], () =>
      Promise.all([...crowd, stranger].map(one => write(one, { group_id: room, content: 'x' }))),
    );
    expect(answers.map(one => one.status)).toEqual([...crowd.map(() => 201), 403]);
    expect(answers.at(-1)?.json.code).toBe('not_member');
    expect((await storedIn(room)).count).toBe(crowd.length);
  });

  test('are refused when the membership ends meanwhile', async () => {
    const room = await groupOf(admin, removed, ...crowd);
    const answers = await commitOnceAwaited(
      gateway,
      [lockOf(room), sql`delete from chat_membership where group_id = ${room} and user_id = ${removed.id}`],
      () => Promise.all([removed, ...crowd].map(one => write(one, { group_id: room, content: 'x' }))),
    );
    expect(answers.map(one => one.status)).toEqual([403, ...crowd.map(() => 201)]);
    expect((await storedIn(room)).count).toBe(crowd.length);
  });

  test('with one key are stored once, also through two gateways and among others', async () => {
    const room = await groupOf(admin, ...crowd);
    const key = randomUUID();
    const [author = admin, ...others] = crowd;
    const answers = await commitOnceAwaited(gateway, [lockOf(room)], () =>
      Promise.all([
        ...others.map(one => write(one, { group_id: room, content: 'other' })),
        ...Array.from({ length: 6 }, (_, at) =>
          write(author, { group_id: room, content: 'once', client_id: key }, at % 2 ? gateway : beside),
        ),
      ]),
    );
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([201]));
    expect(new Set(answers.filter(one => one.json.content === 'once').map(one => one.json.id)).size).toBe(1);
    const { messages, count } = await storedIn(room);
    expect(count).toBe(others.length + 1);
    expect(messages.map(one => one.ordinal)).toEqual(messages.map((_, at) => at + 1));
  });

  test('with one key in two rooms are stored in one of them', async () => {
    const rooms = await Promise.all([groupOf(admin), groupOf(admin)]);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        write(admin, { group_id: rooms[at % 2], content: 'once', client_id: key }, at < 4 ? gateway : beside),
      ),
    );
    const [sent, refused] = [201, 409].map(status => answers.filter(one => one.status === status));
    expect([sent?.length, refused?.length, new Set(sent?.map(one => one.json.id)).size]).toEqual([4, 4, 1]);
    const stored = await Promise.all(rooms.map(storedIn));
    expect(stored.map(one => one.count ?? 0).toSorted()).toEqual([0, 1]);
  });
});

describe('a private chat', () => {
  test('refuses strangers among its participants', async () => {
    const [one = admin, other = admin] = crowd;
    await connect(gateway, one, other);
    const { rows } = await run(
      sql<{
        id: string;
      }>`select id from private_chat where ${one.id} in (low_id, high_id) and ${other.id} in (low_id, high_id)`,
    );
    const id = rows[0]?.id;
    const answers = await Promise.all(
      [one, stranger, other, one].map(who => write(who, { chat_id: id, content: 'x' })),
    );
    expect(answers.map(({ status, json }) => json.code ?? status)).toEqual([201, 'not_participant', 201, 201]);
    const { rows: after } = await run(
      sql<{ count: number }>`select message_count as count from private_chat where id = ${id}`,
    );
    expect(after).toEqual([{ count: 3 }]);
  });
});

test('500 concurrent messages through two gateways leave order, numbers, counters and read positions right', async () => {
  const room = await groupOf(admin, ...crowd);
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, at) =>
      write(crowd[at % crowd.length] ?? admin, { group_id: room, content: `${at}` }, at % 2 ? gateway : beside),
    ),
  );
  expect(new Set(answers.map(one => one.status))).toEqual(new Set([201]));
  const { messages, count, isNewest } = await storedIn(room);
  expect({ count, isNewest }).toEqual({ count: 500, isNewest: true });
  expect(messages.map(one => one.ordinal)).toEqual(messages.map((_, at) => at + 1));
  expect(new Set(messages.map(one => one.content)).size).toBe(500);
  // Authors have read up to their own last message, others nothing.
  const { rows } = await run(sql<{ wrong: number }>`select count(*)::int as wrong from chat_membership m
    where m.group_id = ${room} and m.user_id <> ${admin.id} and m.read_at is distinct from (
      select max(sent_at) from chat_message own where own.group_id = ${room} and own.author_id = m.user_id)`);
  expect(rows).toEqual([{ wrong: 0 }]);
  const pages = await Promise.all(
    [1, 2, 3, 4, 5].map(page =>
      send(gateway, 'GET', `/chat/groups/${room}/messages/?page_size=100&page=${page}`, undefined, admin.access),
    ),
  );
  const listed = pages.flatMap(({ json }) => json.results.map((one: { content: string }) => one.content));
  expect(listed).toEqual(messages.map(one => one.content).toReversed());
  const ascending = await send(
    gateway,
    'GET',
    `/chat/groups/${room}/messages/?ordering=timestamp&page_size=100&page=5`,
    undefined,
    admin.access,
  );
  expect(ascending.json.results.map((one: { content: string }) => one.content)).toEqual(
    messages.slice(400).map(one => one.content),
  );
});

test('a commit that fails answers every sender with 503 and stores nothing', async () => {
  const room = await groupOf(admin, ...crowd);
  await run(sql`create function refuse_commit() returns trigger language plpgsql as
    $$ begin raise exception 'no space left' using errcode = '53100'; end $$`);
  await run(sql`create constraint trigger refuse_commit after insert on chat_message deferrable initially deferred
    for each row execute function refuse_commit()`);
  try {
    const answers = await Promise.all(crowd.map(one => write(one, { group_id: room, content: 'x' })));
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([503]));
    expect(await storedIn(room)).toMatchObject({ messages: [], count: 0 });
  } finally {
    await run(sql`drop trigger refuse_commit on chat_message`);
    await run(sql`drop function refuse_commit`);
  }
  expect((await write(crowd[0] ?? admin, { group_id: room, content: 'x' })).status).toBe(201);
});

test('a value that the database refuses fails alone', async () => {
  const room = await groupOf(admin, ...crowd);
  await run(sql`alter table chat_message add constraint no_curse check (content <> 'curse')`);
  try {
    const answers = await commitOnceAwaited(gateway, [lockOf(room)], () =>
      Promise.all(crowd.map((one, at) => write(one, { group_id: room, content: at === 3 ? 'curse' : `${at}` }))),
    );
    expect(answers.map(one => one.status)).toEqual(crowd.map((_, at) => (at === 3 ? 500 : 201)));
    expect((await storedIn(room)).count).toBe(crowd.length - 1);
    gateway.defects.length = 0;
  } finally {
    await run(sql`alter table chat_message drop constraint no_curse`);
  }
});
