import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { median } from './git-world.ts';
import type { Pinning } from './pinning.ts';
import { startServer } from './server.ts';
import { handWritten, latencyBeside, plantWriters, type WriteRound, type Writer, writeLoad } from './write-load.ts';

const rounds = 3;
const seconds = 4;
const writers = 16;

const text = 'A message of a usual length: how was your walk today, and did the new shoes help?';

/** A statement for each message without any check, counter or lock: each connection waits for its own fsync. */
const bare =
  'insert into bench_message (id, room, author_id, content, sent_at) values (gen_random_uuid(), $1, $2, $3, now())';

/** Messages of 16 writers into one room, each in a room of its own, and what another person notices of them. */
export const chatWrite = {
  name: 'chat-write',
  about: `POST /api/v1/chat/messages/ by ${writers} writers into one room, messages per second`,
  bar: 1_000,
  async measure(url: string, pinning: Pinning | undefined): Promise<{ text: string; missed: string[] }> {
    const { room, own, people, stranger } = await prepare(url);
    const server = await startServer('gateway', url, pinning);
    const measured: Record<'room' | 'own', WriteRound[]> = { room: [], own: [] };
    const single: WriteRound[] = [];
    const byHand: number[] = [];
    const beside: { p50: number; p99: number }[] = [];
    const quiet: { p50: number; p99: number }[] = [];
    const path = '/api/v1/chat/messages/';
    const bodyFor = (group: string): string => JSON.stringify({ group_id: group, content: text });
    /** Someone else writes into another room and reads their chats. */
    const other = async (): Promise<void> => {
      const sent = await fetch(`${server.address}${path}`, {
        method: 'POST',
        headers: { ...stranger.headers, 'content-type': 'application/json' },
        body: bodyFor(own),
      });
      const listed = await fetch(`${server.address}/api/v1/chat/groups/`, { headers: stranger.headers });
      await Promise.all([sent.text(), listed.text()]);
      if (sent.status !== 201 || listed.status !== 200) throw new Error(`${sent.status} ${listed.status}`);
    };
    const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, seconds * 1000));
    try {
      for (let round = 0; round <= rounds; round++) {
        const hand = await handWritten(url, writers, seconds, at => ({
          text: bare,
          values: [room, people[at]?.id, text],
        }));
        const alone = await writeLoad(server, people.slice(0, 1), { path, body: bodyFor(room), seconds });
        let crowd: WriteRound | undefined;
        const noticed = await latencyBeside(other, async () => {
          crowd = await writeLoad(server, people, { path, body: bodyFor(room), seconds });
        });
        const idle = await latencyBeside(other, pause);
        // The first is the warm-up.
        if (round === 0 || !crowd) continue;
        byHand.push(hand);
        single.push(alone);
        measured.room.push(crowd);
        beside.push(noticed);
        quiet.push(idle);
      }
    } finally {
      await server.stop();
    }
    const rate = median(measured.room.map(one => one.rate));
    const reached = rate >= chatWrite.bar;
    const line = `one room: ${rate.toFixed(0)} messages/s; the bar is ≥ ${chatWrite.bar}: ${reached ? 'reached' : 'MISSED'}`;
    const row = (label: string, all: readonly WriteRound[]): string =>
      `  ${label.padEnd(40)} ${median(all.map(one => one.rate))
        .toFixed(0)
        .padStart(
          6,
        )} /s   p50 ${median(all.map(one => one.p50)).toFixed(0)} ms   p99 ${median(all.map(one => one.p99)).toFixed(0)} ms   gateway ${median(all.map(one => one.cpu)).toFixed(0)} µs each`;
    const noticed = (label: string, all: readonly { p50: number; p99: number }[]): string =>
      `  ${label.padEnd(40)} p50 ${median(all.map(one => one.p50)).toFixed(1)} ms   p99 ${median(all.map(one => one.p99)).toFixed(1)} ms`;
    return {
      text: [
        `\n${chatWrite.name}: ${chatWrite.about}\n`,
        `  ${`bare inserts by hand, ${writers} connections`.padEnd(40)} ${median(byHand).toFixed(0).padStart(6)} /s`,
        row('one room, one writer', single),
        row(`one room, ${writers} writers`, measured.room),
        noticed('someone else, meanwhile', beside),
        noticed('someone else, nothing else running', quiet),
        `  one room / bare inserts: ${(rate / median(byHand)).toFixed(2)}`,
        `  ${line}`,
      ].join('\n'),
      missed: reached ? [] : [`${chatWrite.name}: ${line}`],
    };
  },
};

async function prepare(url: string): Promise<{ room: string; own: string; people: Writer[]; stranger: Writer }> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`create table bench_message (id uuid primary key, room uuid, author_id bigint, content text,
      sent_at timestamptz)`);
    await client.query('create index bench_message_of on bench_message (room, sent_at, id)');
    const [stranger, ...people] = await plantWriters(client, writers + 1);
    if (!stranger) throw new Error('No writer was inserted.');
    const [room, own] = [randomUUID(), randomUUID()];
    for (const [id, members] of [
      [room, people],
      [own, [stranger]],
    ] as const) {
      await client.query(
        `with made as (insert into chat_group (id, name, created_at, participant_count) values ($1, 'Room', now(), $3) returning id)
         insert into chat_membership (group_id, user_id, joined_at, read_at)
         select made.id, unnest($2::bigint[]), now(), 'epoch' from made`,
        [id, members.map(one => one.id), members.length],
      );
    }
    return { room, own, people, stranger };
  } finally {
    await client.end();
  }
}
