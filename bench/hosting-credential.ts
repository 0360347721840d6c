import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { load, median } from './credential.ts';
import { benchSecret, loadBuild } from './load-build.ts';

const rounds = 3;
/** Tokens that take turns. */
const callers = 500;

/**
 * CPU time of this process for authenticating a hosting credential: checksum, hash, cache, and the counter of bad attempts;
 * uncached also one statement, and for a JWT the signature.
 */
export const hostingCredential = {
  name: 'hosting-credential',
  about: `from a token to its caller; ${callers} tokens in turns`,
  /** Microseconds, for a token used within the last five seconds. */
  bar: 100,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const around = await loadBuild();
    const database = await around.openDatabase({ url, poolSize: 10, statementTimeoutMs: 10_000 });
    try {
      const config = around.readConfig({ SECRET_KEY: benchSecret });
      const now = new Date();
      const tokens: string[] = [];
      const user = await around.createUser(database.sql, { login: `bench-${process.pid}-${Date.now()}` }, now);
      for (let at = 0; at < callers; at++) {
        const { token } = await around.insertCredential(
          database.sql,
          { kind: 'classic', accountId: user, scopes: ['repo'] },
          now,
        );
        tokens.push(token);
      }
      const key = around.deriveRsaKey(new TextEncoder().encode(benchSecret), 'bench');
      const { rows } = await sql<{ id: number }>`
        insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, created_at, updated_at)
        values (${user}, ${`bench-${Date.now()}`}, 'Bench', ${`Iv${Date.now()}`}, '', 'https://x.example', now(), now())
        returning id`.execute(database.sql);
      const app = rows[0]?.id ?? 0;
      await sql`delete from app_key`.execute(database.sql);
      await around.insertAppKey(database.sql, { appId: app }, createPublicKey(key), now);
      const jwts: string[] = [];
      const seconds = Math.floor(now.getTime() / 1000);
      for (let at = 0; at < callers; at++) {
        const claims = { iat: seconds, exp: seconds + 600 - (at % 300), iss: String(app), n: at };
        jwts.push(await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(key));
      }
      const rateLimiter = await around.openRateLimiter({ config, clock: () => now, log: console, read: database.read });
      const credentials = new around.CredentialStore(database.read);
      const ask = (texts: readonly string[], kind: string, at: (turn: number) => Date) => async (turn: number) => {
        const request = { headers: { authorization: `Bearer ${texts[turn % callers]}` } };
        const actor = await around.authenticateHosting(request, '192.0.2.1', {
          credentials,
          rateLimiter,
          now: at(turn),
        });
        assert.equal(actor.kind, kind);
      };
      // After five seconds a cache entry has expired: each turn reads its row.
      const later = (turn: number) => new Date(now.getTime() + turn * around.credentialCacheTtlMs);
      const contenders: Record<string, (turn: number) => Promise<void>> = {
        'token, known': ask(tokens, 'user', () => now),
        'token, new': ask(tokens, 'user', later),
        'JWT, known': ask(jwts, 'app', () => now),
        'JWT, new': async turn => {
          assert.equal((await around.verifyAppJwt(database.read, jwts[turn % callers] ?? '', later(turn))).appId, app);
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
      await database.close();
    }
  },
};

function report(measured: Record<string, number[]>): { text: string; missed: string[] } {
  const { name, about, bar } = hostingCredential;
  const rows = Object.entries(measured).map(([label, all]) => ({ label, all, own: median(all) }));
  const lines = rows.map(
    ({ label, all, own }) =>
      `  ${label.padEnd(14)} CPU ${own.toFixed(1)} µs (${all.map(one => one.toFixed(1)).join(', ')})`,
  );
  // Uncached credentials have no bar: a token is uncached once in five seconds, at the cost of its statement and of RSA.
  const missed = rows
    .filter(({ label, own }) => label.endsWith('known') && own > bar)
    .map(({ label }) => `${name}: ${label}`);
  const verdict = missed.length === 0 ? 'reached' : 'MISSED';
  return { text: [`\n${name}: ${about}\n`, ...lines, `  the bar is ≤ ${bar} µs: ${verdict}`].join('\n'), missed };
}
