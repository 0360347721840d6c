import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import pg from 'pg';
import { benchSecret, loadBuild } from './load-build.ts';

const rounds = 3;
const seconds = 2;
/** Concurrent requests. */
const connections = 32;
/** Accounts that take turns. */
const people = 500;

/**
 * CPU time of this process for authenticating a caller of the health API: header, signature, and the row of the session, which
 * is read for every request so that a logout is immediate. Compared with that statement alone, as `pg` sends it.
 */
export const credential = {
  name: 'credential',
  about: `from an access token that was seen before to its account; ${people} accounts in turns, ${connections} requests at a time`,
  /** Microseconds. */
  bar: 100,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const { authenticateHealth, openDatabase, deriveKeys, openSession, readConfig, SessionTokens } = await loadBuild();
    const database = await openDatabase({ url, poolSize: 10, statementTimeoutMs: 10_000 });
    const pool = new pg.Pool({ connectionString: url, max: 10 });
    try {
      const tokens = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: benchSecret })).sessionTokens);
      const now = new Date();
      const { rows: users } = await pool.query<{ id: string }>(
        `insert into users (is_active, is_verified, is_guest, date_joined, last_seen_at, first_name, last_name, allergies, about_me)
         select true, true, false, now(), now(), 'Bench', 'Mark', '', '' from generate_series(1, $1) returning id`,
        [people],
      );
      const sessions: { user: number; header: string }[] = [];
      for (const { id } of users) {
        const user = Number(id);
        const { accessToken: access } = await openSession(
          { db: database.sql, tokens, now },
          { id: user, isGuest: false },
        );
        sessions.push({ user, header: `Bearer ${access}` });
      }
      const tools = { read: database.read, tokens, now };
      const contenders: Record<string, (turn: number) => Promise<void>> = {
        portico: async turn => {
          const session = sessions[turn % people];
          const request = { headers: { authorization: session?.header } } as IncomingMessage;
          const actor = await authenticateHealth(request, '192.0.2.1', tools);
          assert.ok(actor.kind === 'person' && actor.userId === session?.user);
        },
        'its statement': async turn => {
          const { rows } = await pool.query({
            name: 'session',
            text: `select u.is_guest, u.is_active, s.ended_at is null as open from users u
              left join session s on s.user_id = u.id where u.id = $1`,
            values: [sessions[turn % people]?.user],
          });
          assert.equal(rows.length, 1);
        },
      };
      const measured: Record<string, number[]> = {};
      for (let round = 0; round <= rounds; round++) {
        for (const [label, work] of Object.entries(contenders)) {
          const cpu = await load(work);
          // The first is the warm-up.
          if (round > 0) measured[label] = [...(measured[label] ?? []), cpu];
        }
      }
      return report(measured);
    } finally {
      await pool.end();
      await database.close();
    }
  },
};

/** Microseconds of CPU of this process per call. */
export async function load(work: (turn: number) => Promise<void>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  const before = process.cpuUsage();
  let turns = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) await work(turns++);
  };
  await Promise.all(Array.from({ length: connections }, client));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / turns;
}

function report(measured: Record<string, number[]>): { text: string; missed: string[] } {
  const rows = Object.entries(measured).map(
    ([label, all]) =>
      `  ${label.padEnd(14)} CPU ${median(all).toFixed(0)} µs (${all.map(one => one.toFixed(0)).join(', ')})`,
  );
  const own = median(measured.portico ?? []);
  const reached = own <= credential.bar;
  const line = `  portico: ${own.toFixed(0)} µs; the bar is ≤ ${credential.bar}: ${reached ? 'reached' : 'MISSED'}`;
  return {
    text: [`\n${credential.name}: ${credential.about}\n`, ...rows, line].join('\n'),
    missed: reached ? [] : [`${credential.name}: ${line.trim()}`],
  };
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
