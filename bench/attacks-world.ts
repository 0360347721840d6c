import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { builtGit, person } from './git-world.ts';
import { loadBuild } from './load-build.ts';

/** Data of the attacks, passed to the attacker's process as JSON. */
export interface AttacksWorld {
  /** A classic token of the attacker, who owns the repository of `login`. */
  token: string;
  login: string;
  /** A repository of the attacker that the rules apply to. */
  ruled: string;
  /** A public repository of the attacker whose archive is large. */
  large: string;
  appId: number;
  /** PKCS #8 PEM of a key of the app. */
  appKey: string;
}

/** Files of the large archive, and bytes of each. All of them are one blob. */
const archive = { files: 300, bytes: 20 * 1024 * 1024 };

/** Deliveries of the attacker's app, and bytes of each payload. */
const deliveries = { count: 100, bytes: 24 * 1024 * 1024 };

/** Inserts the data of the attacks into the migrated database at `url`. */
export async function prepareAttacks(url: string): Promise<AttacksWorld> {
  const [around, git] = await Promise.all([loadBuild(), builtGit()]);
  const database = await around.openDatabase({ url, poolSize: 2, statementTimeoutMs: 120_000 });
  try {
    const now = new Date();
    const login = `attacker-${Date.now()}`;
    const accountId = await around.createUser(database.sql, { login }, now);
    const { token } = await around.insertCredential(
      database.sql,
      { kind: 'classic', accountId, scopes: ['repo', 'user'] },
      now,
    );
    const repositories = await sql<{ id: number; name: string }>`
      insert into repository (owner_id, name, created_at, updated_at)
      values (${accountId}, 'ruled', now(), now()), (${accountId}, 'large', now(), now())
      returning id, name`.execute(database.sql);
    const idOf = (name: string): number => repositories.rows.find(one => one.name === name)?.id ?? 0;
    const context = {
      read: database.read,
      transaction: <T>(work: Parameters<typeof git.inTransaction<T>>[1]) => git.inTransaction(database, work),
      now: () => now,
    };
    for (const [name, bytes, files] of [
      ['ruled', 10, 1],
      ['large', archive.bytes, archive.files],
    ] as const) {
      const blob = git.createObject('blob', randomBytes(bytes));
      const changes = Array.from({ length: files }, (_, at) => ({
        path: `file-${at}.bin`,
        entry: { mode: git.modes.file, oid: blob.oid },
      }));
      const made = await git.applyChanges(git.openRepository(database.read, idOf(name)), undefined, changes);
      const people = { author: person, committer: person };
      const content = git.encodeCommit({ tree: made.tree, parents: [], ...people, message: 'First' });
      const commit = git.createObject('commit', content);
      const updates = [{ ref: 'refs/heads/main', to: commit.oid }];
      await git.push(context, { repositoryId: idOf(name), updates, objects: [blob, ...made.objects, commit] });
    }
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const appKey = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const apps = await sql<{ id: number }>`
      insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, webhook_url, created_at, updated_at)
      values (${accountId}, ${login}, 'Attacker', ${`Iv.${login}`}, '', 'https://x.example', 'https://x.example', now(), now())
      returning id`.execute(database.sql);
    const appId = apps.rows[0]?.id ?? 0;
    await around.insertAppKey(database.sql, { appId }, createPublicKey(createPrivateKey(appKey)), now);
    await sql`insert into webhook_delivery (app_id, guid, event, payload, created_at, delivered_at, duration, status, status_code,
        url, request_headers, response_headers, response_payload)
      select ${appId}, gen_random_uuid(), 'push', json_build_object('text', repeat('x', ${deliveries.bytes}))::text, now(), now(), 0.1, 'OK', 200,
        'https://x.example', '{}', '{}', ''
      from generate_series(1, ${deliveries.count})`.execute(database.sql);
    return { token, login, ruled: `${login}/ruled`, large: `${login}/large`, appId, appKey };
  } finally {
    await database.close();
  }
}
