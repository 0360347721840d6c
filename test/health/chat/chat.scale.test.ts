import { beforeAll, describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { databaseWork } from '../../harness/database-work.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import type { Sent } from '../../harness/statements.ts';

const sizes = { small: 1_000, large: 100_000 };
const gateway = await testGateway({ data: 'empty', settings: { STATEMENT_TIMEOUT_MS: '300000' } });
const [reader, author] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const rooms: Record<keyof typeof sizes, string> = { small: '', large: '' };

const run = <Row>(statement: RawBuilder<Row>) => statement.execute(gateway.database.sql);

beforeAll(async () => {
  for (const [name, size] of Object.entries(sizes) as [keyof typeof sizes, number][]) {
    const { json } = await send(gateway, 'POST', '/chat/groups/', { name }, reader.access);
    rooms[name] = json.id;
    // A word in every second message, one in every hundredth, and one of each hundred messages.
    await run(sql`
      insert into chat_message (id, group_id, author_id, content, ordinal, sent_at)
      select gen_random_uuid(), ${json.id}, ${author.id},
        concat_ws(' ', case when n % 2 = 0 then 'walking' else 'resting' end, case when n % 100 = 3 then 'insomnia' end,
          'note', 'mark' || n / 100, case when n = ${size / 2} then 'zebra-crossing' end),
        n, timestamptz '2026-10-01' + n * interval '1 second'
      from generate_series(1, ${size}::int) n`);
    await run(sql`update chat_group set message_count = ${size}, last_message_at = timestamptz '2026-10-01' + ${size}::int * interval '1 second'
      where id = ${json.id}`);
    await run(sql`insert into chat_message_segment (group_id, first_ordinal, words)
      select ${json.id}, first, segment_words(null, ${json.id}, first) from generate_series(1, ${size - 15}::int, 16) first`);
    await run(sql`update chat_membership set read_at = 'infinity' where group_id = ${json.id}`);
  }
  for (const table of ['chat_message', 'chat_message_segment', 'chat_group', 'chat_membership'])
    await run(sql`vacuum analyze ${sql.table(table)}`);
}, 300_000);

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Tables that a statement reads from one end to the other. */
async function readWhole({ text, values }: Sent): Promise<string[]> {
  const client = new pg.Client(gateway.databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query(`explain (format json) ${text}`, values);
    const found: string[] = [];
    const look = (plan: Plan): void => {
      if (plan['Node Type'] === 'Seq Scan') found.push(plan['Relation Name'] ?? '');
      for (const inner of plan.Plans ?? []) look(inner);
    };
    look(rows[0]['QUERY PLAN'][0].Plan);
    return found.filter(table => /^chat_message/.test(table));
  } finally {
    await client.end();
  }
}

/** The answer, the statements and the database work of one page. */
async function ask(room: keyof typeof sizes, query: string) {
  let json: { count: number; results: { content: string }[] } = { count: 0, results: [] };
  const sent = (
    await gateway.sent(async () => {
      const answer = await send(
        gateway,
        'GET',
        `/chat/groups/${rooms[room]}/messages/?${query}`,
        undefined,
        reader.access,
      );
      expect({ query, status: answer.status }).toEqual({ query, status: 200 });
      json = answer.json;
    })
  ).filter(({ text }) => text.includes('chat_'));
  for (const one of sent)
    expect({ text: one.text, whole: await readWhole(one) }).toEqual({ text: one.text, whole: [] });
  return { json, work: await databaseWork(gateway.databaseUrl, sent) };
}

describe(`in a chat of ${sizes.large} messages`, () => {
  test.each(['', 'ordering=timestamp', 'ordering=-timestamp'])(
    'every page costs what the first of a small chat costs: %s',
    async order => {
      const first = await ask('small', order);
      for (const page of ['2', '500', '2500', 'last']) {
        const { json, work } = await ask('large', `${order}&page=${page}`);
        expect(json.results).toHaveLength(20);
        expect({ page, work: work <= 2 * first.work }).toEqual({ page, work: true });
      }
    },
  );

  test.each([
    ['walking', 500, 1_000],
    ['insomnia', 10, 1_000],
    ['somni', 10, 1_000],
    ['zebra', 1, 1],
    ['bra-cro', 1, 1],
    ['"zebra-crossing"', 1, 1],
    ['mark999', 0, 100],
    ['insomnia,mark99', 0, 11],
    ['nothing', 0, 0],
  ])('a search for %s costs no more than twice that in a small one', async (search, inSmall, inLarge) => {
    const query = `search=${encodeURIComponent(search)}`;
    const small = await ask('small', query);
    const large = await ask('large', query);
    expect([small.json.count, large.json.count]).toEqual([inSmall, inLarge]);
    // Per match: a search that finds ten times as many reads ten times as much, up to the bound. The link of reader and author is looked up
    // for each message that is shown, in up to four buffers, and the small room shows none of some searches.
    const perMatch = (work: number, count: number): number => (work - 4 * count) / Math.max(count, 40);
    expect(perMatch(large.work, inLarge)).toBeLessThanOrEqual(2 * perMatch(small.work, inSmall));
  });

  test('the newest matches are found, also in ascending order', async () => {
    const { json } = await ask('large', 'search=insomnia&page_size=2');
    expect(json.results.map(one => one.content)).toEqual([
      'resting insomnia note mark999',
      'resting insomnia note mark998',
    ]);
    const ascending = await ask('large', 'search=mark999&ordering=timestamp&page_size=4');
    expect(ascending.json.results.map(one => one.content)[3]).toBe('resting insomnia note mark999');
  });
});
