import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { getFollowing } from '../../outbound/follow-redirects.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { encodePicture, maxPictureBytes } from '../accounts/profile-picture.ts';

export interface PictureDependencies {
  database: Database;
  clock: Clock;
  outbound: OutboundClient;
}

/** Pictures of one run of the job: some ten minutes at worst. */
const maxPictures = 40;
const timeoutMs = 15_000;
/** Hours until the next attempt; a picture that fails as often is left out until its feed names another. */
const retryHours = [1, 6, 18, 24];
/** The size of a picture above an article, on screens with two pixels to a point. */
const size = { width: 1_280, height: 1_280, fit: 'inside' } as const;

interface DuePicture {
  articleId: number;
  url: string;
  attempts: number;
}

type Fetched = { bytes: Buffer } | { problem: string; isFinal: boolean };

/** Fetches the pictures that are due, one after the other. */
export async function fetchDuePictures(dependencies: PictureDependencies, signal?: AbortSignal): Promise<void> {
  const { database, clock } = dependencies;
  const due = await database.read(sql<DuePicture>`
    select article_id::int as "articleId", source_url as url, attempts from article_picture
    where due_at <= ${clock()} order by due_at limit ${maxPictures}`);
  for (const picture of due) {
    signal?.throwIfAborted();
    const fetched = await fetchPicture(dependencies, picture.url, signal);
    await inTransaction(database, db => store(db, picture, fetched, clock()));
  }
}

async function fetchPicture({ outbound }: PictureDependencies, url: string, signal?: AbortSignal): Promise<Fetched> {
  const followed = await getFollowing(outbound, {
    url,
    headers: { accept: 'image/webp, image/jpeg, image/png', 'user-agent': 'Portico feed reader' },
    timeoutMs,
    maxBytes: maxPictureBytes,
    ...(signal ? { signal } : {}),
  });
  if ('problem' in followed) return { ...followed, isFinal: false };
  const { status, body, isTruncated } = followed.answer;
  if (status !== 200)
    return { problem: `the publisher answers with ${status}`, isFinal: status === 404 || status === 410 };
  if (isTruncated) return { problem: 'the file has more than 5 MiB', isFinal: true };
  const encoded = await encodePicture(body, size, 'article-pictures');
  return 'bytes' in encoded ? encoded : { problem: encoded.problem.replace(/\.$/, ''), isFinal: true };
}

/** Nothing where the feed has named another picture meanwhile. */
async function store(
  db: Kysely<unknown>,
  { articleId, url, attempts }: DuePicture,
  fetched: Fetched,
  now: Date,
): Promise<void> {
  if (!('bytes' in fetched)) {
    const hours = fetched.isFinal ? undefined : retryHours[attempts];
    const dueAt = hours === undefined ? null : new Date(now.getTime() + hours * 3_600_000);
    await sql`
      update article_picture set attempts = attempts + 1, problem = ${fetched.problem}, due_at = ${dueAt}
      where article_id = ${articleId} and source_url = ${url}`.execute(db);
    return;
  }
  const hash = createHash('sha256').update(fetched.bytes).digest('hex').slice(0, 16);
  const { rows } = await sql`
    update article_picture set bytes = ${fetched.bytes}, problem = null, due_at = null, attempts = attempts + 1
    where article_id = ${articleId} and source_url = ${url} returning article_id`.execute(db);
  if (rows.length === 0) return;
  await sql`update article set image_url = ${`/pictures/articles/${articleId}-${hash}.webp`} where id = ${articleId}`.execute(
    db,
  );
}
