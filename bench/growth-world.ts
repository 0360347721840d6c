import { rmSync } from 'node:fs';
import pg from 'pg';
import { plantFeeds } from './feeds.ts';
import { builtGit, emptyRepository, systemGit } from './git-world.ts';
import { reader } from './reader.ts';
import { prepareWorld } from './world.ts';

/** Articles of the demo data, with which a world begins. */
const demoArticles = 60;

/** A word in 20 articles or messages at every size, and one in a fifth of them. */
export const rareWord = 'zosterella';
export const commonWord = 'ubiquitous';

/** Repository whose file `first.txt` is changed by its first commit only. */
export const grownRepository = { owner: 'growth', name: 'history' };

/** Where rows of which kind are, for the paths of requests. */
export interface GrownWorld {
  url: string;
  chatId: string;
}

/**
 * 40 words of a vocabulary of 5,000, the frequent ones more often, and the two words that are looked for.
 * The number of the row and of the word are in it so that every word is drawn anew, by an aggregate of this query level.
 * @param n expression of the number of the row, from 1; @param size a number
 */
const textOf = (n: string, size: number): string => `
  (select string_agg(translate(floor(exp(random() * ln(5000)) + 1000 + ${n} * 0 + word * 0)::int::text, '0123456789', 'bcdfghjklm'), ' ')
     from generate_series(1, 40) word)
  || case when ${n} % ${Math.max(1, Math.floor(size / 20))} = 0 then ' ${rareWord}' else '' end
  || case when ${n} % 5 = 0 then ' ${commonWord}' else '' end`;

/** Fills an empty database with `size` articles, messages of one chat and commits, and with `events` events. */
export async function prepareGrownWorld(url: string, size: number, events: number): Promise<GrownWorld> {
  await prepareWorld(url, demoArticles);
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await addArticles(client, size);
    const chatId = await addMessages(client, size);
    await client.query('vacuum analyze');
    await plantFeeds(url, events);
    await addCommits(client, url, size);
    await client.query('vacuum analyze');
    return { url, chatId };
  } finally {
    await client.end();
  }
}

/** Articles an hour apart, each in one of twelve categories. */
async function addArticles(client: pg.Client, size: number): Promise<void> {
  await client.query(`
    with added as (
      insert into article (headline, summary, author, source, body_markdown, body, tags, read_time_minutes,
        published_at, updated_at, like_count, comment_count)
      select 'Article number ' || n, 'A summary of one line.', 'Author ' || n % 100, 'other', words, '<p>' || words || '</p>', '{}', 2,
        date_trunc('second', now()) - interval '100 days' - n * interval '1 minute', now() - interval '100 days', n % 97, n % 13
      from generate_series(1, ${size - demoArticles}) n, lateral (select ${textOf('n', size)} as words) t
      returning id)
    insert into article_category (article_id, category_id)
    select added.id, known.id from added
    join (select id, row_number() over (order by id) - 1 as n, count(*) over () as all_of_them from category) known
      on known.n = added.id % known.all_of_them`);
}

/** A private chat of the reader and another person, with `size` messages a second apart, indexed as those that are sent. */
async function addMessages(client: pg.Client, size: number): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `with other as (
       insert into users (first_name, is_active, is_verified, date_joined, last_seen_at)
       values ('Grown', true, true, now(), now()) returning id),
     connected as (
       insert into peer_connection (asker_id, asked_id, status, created_at, responded_at)
       select $1, id, 'accepted', now(), now() from other)
     insert into private_chat (id, low_id, high_id, created_at)
     select gen_random_uuid(), least($1, id), greatest($1, id), now() from other returning id`,
    [reader.userId],
  );
  const chatId = rows[0]?.id ?? '';
  await client.query(
    `insert into private_chat_reader (chat_id, user_id, read_at)
     select id, unnest(array[low_id, high_id]), now() from private_chat where id = $1 on conflict do nothing`,
    [chatId],
  );
  await client.query(
    `insert into chat_message (id, chat_id, author_id, content, sent_at)
     select gen_random_uuid(), c.id, case when n % 2 = 0 then c.low_id else c.high_id end, 'Message ' || n || ' ' || ${textOf('n', size)},
       now() - interval '1 day' - (${size} - n) * interval '1 second'
     from private_chat c, generate_series(1, ${size}) n where c.id = $1`,
    [chatId],
  );
  await client.query(
    `update private_chat c set message_count = found.number, last_message_at = found.newest
     from (select count(*) as number, max(sent_at) as newest from chat_message where chat_id = $1) found where c.id = $1`,
    [chatId],
  );
  await client.query(
    `insert into chat_message_segment (chat_id, first_ordinal, words)
     select $1, first, segment_words($1, null, first) from generate_series(1, ${size} - 15, 16) first`,
    [chatId],
  );
  return chatId;
}

/** Imports a repository of `size` commits, each of which changes one of 400 files. */
async function addCommits(client: pg.Client, url: string, size: number): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `with owner as (insert into account (kind, login, created_at, updated_at)
       values ('organization', $1, now(), now()) returning id)
     insert into repository (owner_id, name, created_at, updated_at) select id, $2, now(), now() from owner returning id`,
    [grownRepository.owner, grownRepository.name],
  );
  const folder = emptyRepository();
  const git = await builtGit();
  const database = await git.openDatabase({ url, poolSize: 4, statementTimeoutMs: 600_000 });
  try {
    systemGit(folder, ['fast-import', '--quiet', '--done'], commitStream(size));
    const context = {
      ...git.unlimitedSource(database.read),
      transaction: <T>(work: Parameters<typeof git.inTransaction<T>>[1]) => git.inTransaction(database, work),
      now: () => new Date(),
    };
    const repositoryId = Number(rows[0]?.id);
    await git.importRepository(context, { repositoryId, path: folder });
    // As the background job.
    while ((await git.indexCommits(context, repositoryId)) > 0);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function commitStream(size: number): string {
  const stream: string[] = [];
  for (let at = 0; at < size; at++) {
    const path = at === 0 ? 'first.txt' : `src/part-${at % 20}/file-${at % 400}.txt`;
    const head = `commit refs/heads/main\ncommitter C <c@example.org> ${1_500_000_000 + at * 60} +0000\ndata 6\nchange`;
    const text = `line ${at}`;
    stream.push(head, `M 100644 inline ${path}`, `data ${text.length}`, text, '');
  }
  stream.push('done\n');
  return stream.join('\n');
}
