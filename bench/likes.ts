import pg from 'pg';
import { median } from './git-world.ts';
import type { Pinning } from './pinning.ts';
import { startServer } from './server.ts';
import { handWritten, latencyBeside, plantWriters, type WriteRound, writeLoad } from './write-load.ts';

const rounds = 3;
const seconds = 4;
const writers = 16;

/** One statement that toggles nothing, locks nothing and counts nothing: a row for each like, each with its own fsync. */
const bare = 'insert into bench_like (user_id, article_id, created_at) values ($1, $2, now())';

/** Likes of one article by 16 people at once, each toggling their own. */
export const likes = {
  name: 'likes',
  about: `POST /api/v1/articles/{id}/like/ by ${writers} people on one article, likes per second`,
  bar: 1_000,
  async measure(url: string, pinning: Pinning | undefined): Promise<{ text: string; missed: string[] }> {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ id: number; other: number }>(
      'select min(id)::int as id, max(id)::int as other from article where withdrawn_at is null and published_at < now()',
    );
    const { id: article = 0, other = 0 } = rows[0] ?? {};
    await client.query('create table bench_like (user_id bigint, article_id bigint, created_at timestamptz)');
    await client.query('create index bench_like_of on bench_like (article_id, created_at)');
    const [reader, ...people] = await plantWriters(client, writers + 1);
    await client.end();
    const server = await startServer('gateway', url, pinning);
    const measured: WriteRound[] = [];
    const byHand: number[] = [];
    const beside: { p50: number; p99: number }[] = [];
    /** Someone else likes another article. */
    const ask = async (): Promise<void> => {
      const answer = await fetch(`${server.address}/api/v1/articles/${other}/like/`, {
        method: 'POST',
        headers: reader?.headers ?? {},
      });
      await answer.text();
      if (answer.status !== 201) throw new Error(`A like was answered with ${answer.status}.`);
    };
    try {
      for (let round = 0; round <= rounds; round++) {
        const hand = await handWritten(url, writers, seconds, at => ({
          text: bare,
          values: [people[at]?.id, article],
        }));
        let crowd: WriteRound | undefined;
        const noticed = await latencyBeside(ask, async () => {
          crowd = await writeLoad(server, people, { path: `/api/v1/articles/${article}/like/`, seconds });
        });
        // The first is the warm-up.
        if (round === 0 || !crowd) continue;
        byHand.push(hand);
        measured.push(crowd);
        beside.push(noticed);
      }
    } finally {
      await server.stop();
    }
    const middle = (pick: (one: WriteRound) => number): number => median(measured.map(pick));
    const rate = middle(one => one.rate);
    const reached = rate >= likes.bar;
    const line = `one article: ${rate.toFixed(0)} likes/s; the bar is ≥ ${likes.bar}: ${reached ? 'reached' : 'MISSED'}`;
    return {
      text: [
        `\n${likes.name}: ${likes.about}\n`,
        `  ${`bare inserts by hand, ${writers} connections`.padEnd(40)} ${median(byHand).toFixed(0).padStart(6)} /s`,
        `  ${`one article, ${writers} people`.padEnd(40)} ${rate.toFixed(0).padStart(6)} /s   p50 ${middle(one => one.p50).toFixed(0)} ms   p99 ${middle(one => one.p99).toFixed(0)} ms   gateway ${middle(one => one.cpu).toFixed(0)} µs each`,
        `  ${'another article, meanwhile'.padEnd(40)} p50 ${median(beside.map(one => one.p50)).toFixed(1)} ms   p99 ${median(beside.map(one => one.p99)).toFixed(1)} ms`,
        `  one article / bare inserts: ${(rate / median(byHand)).toFixed(2)}`,
        `  ${line}`,
      ].join('\n'),
      missed: reached ? [] : [`${likes.name}: ${line}`],
    };
  },
};
