import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { loadBuild } from './load-build.ts';
import { statementTimes } from './statement-times.ts';

const messages = 1_000_000;
/** Messages in the chat that is read; a thousand other chats share the rest. */
const inOne = 500_000;

const bare = `select id, author_id, content, sent_at from chat_message
  where chat_id = $1 order by sent_at desc, id desc limit 20`;

/** A page of messages as the product reads it, with access, names and blocks, and a hand-written query of the page alone. */
export const chatPage = {
  name: 'chat-page',
  about: `20 messages of a chat of ${inOne.toLocaleString('en')}, with ${messages.toLocaleString('en')} in the table`,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const { openDatabase, messagePage, requirePrivateChat } = await loadBuild();
    const client = new pg.Client(url);
    const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
    await client.connect();
    try {
      const { chat, reader } = await plant(client);
      const actor = { kind: 'person', ip: '', userId: reader, sessionId: '', isGuest: false } as const;
      const around = {
        actor,
        origin: 'http://127.0.0.1',
        read: database.read,
        sql: database.sql,
        appliesReadEffects: true,
      };
      const page = (number: number) => async (): Promise<void> => {
        const source = messagePage(around, await requirePrivateChat(around, chat), {});
        const [rows, total] = await Promise.all([
          source.rows({ limit: 20, offset: (number - 1) * 20, wanted: new Map() }),
          source.total(),
        ]);
        assert.deepEqual([rows.length, total], [20, inOne]);
      };
      await assertSingleIndexScan(client, chat);
      return await statementTimes(
        this,
        [
          { label: 'portico', ask: page(1) },
          { label: 'portico, page 500', ask: page(500) },
          {
            label: 'the page alone, by hand',
            ask: async () => {
              const { rows } = await client.query({ name: 'page', text: bare, values: [chat] });
              assert.equal(rows.length, 20);
            },
          },
        ],
        { of: 'portico', max: 10 },
      );
    } finally {
      await database.close();
      await client.end();
    }
  },
};

async function plant(client: pg.Client): Promise<{ chat: string; reader: number }> {
  const { rows: people } = await client.query<{ id: number }>(
    `insert into users (first_name, is_active, is_verified, date_joined, last_seen_at)
     select 'Chat', true, true, now(), now() from generate_series(1, 50) returning id::int`,
  );
  const ids = people.map(row => row.id);
  const [one = 0, other = 0] = ids;
  await client.query(
    `insert into peer_connection (asker_id, asked_id, status, created_at, responded_at)
    select a, b, 'accepted', now(), now() from unnest($1::bigint[]) a, unnest($1::bigint[]) b where a < b`,
    [ids],
  );
  await client.query(
    `insert into private_chat (id, low_id, high_id, created_at)
    select gen_random_uuid(), a, b, now() from unnest($1::bigint[]) a, unnest($1::bigint[]) b where a < b`,
    [ids],
  );
  await client.query(`insert into private_chat_reader (chat_id, user_id, read_at)
    select id, unnest(array[low_id, high_id]), now() + interval '1 day' from private_chat on conflict do nothing`);
  const { rows } = await client.query<{ id: string }>(
    'select id from private_chat where low_id = $1 and high_id = $2',
    [one, other],
  );
  const chat = rows[0]?.id ?? randomUUID();
  await client.query(
    `with place as (select id, low_id, high_id, row_number() over () - 1 as n from private_chat where id <> $1 limit 1000)
     insert into chat_message (id, chat_id, author_id, content, ordinal, sent_at)
     select gen_random_uuid(), case when m.n <= $2 then $1::uuid else place.id end,
       case when m.n <= $2 then (case when m.n % 2 = 0 then $3 else $4 end)::bigint else place.low_id end,
       'Message number ' || m.n,
       row_number() over (partition by case when m.n <= $2 then $1::uuid else place.id end order by m.n), now() - (($5::int - m.n) || ' seconds')::interval
     from generate_series(1, $5::int) m(n) join place on place.n = m.n % 1000`,
    [chat, inOne, one, other, messages],
  );
  await client.query(`update private_chat c set message_count = found.number, last_message_at = found.newest
    from (select chat_id, count(*) as number, max(sent_at) as newest from chat_message group by chat_id) found
    where c.id = found.chat_id`);
  await client.query('vacuum analyze chat_message, private_chat, private_chat_reader, peer_connection, users');
  return { chat, reader: one };
}

/** Throws if the page is not one backward index scan. */
async function assertSingleIndexScan(client: pg.Client, chat: string): Promise<void> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${bare.replace('$1', `'${chat}'`)}`);
  const plan = rows.map(row => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Index Scan Backward using chat_message_of_chat/);
  assert.doesNotMatch(plan, /Sort/);
}
