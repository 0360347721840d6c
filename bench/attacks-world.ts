import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { GitObject } from '../src/git/object.ts';
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
  /** A repository of the attacker with 20 webhooks at receivers that do not answer. */
  hooked: string;
  /** A public repository of the attacker whose branches `main` and `side` have other contents in large files. */
  compared: string;
  /** The commits of `main`. */
  heads: { ruled: string; large: string; hooked: string };
  /** The blob of the large repository. */
  largeBlob: string;
  /** A user with a repository that has a webhook for stars. */
  victim: { token: string; repository: string };
}

/** Files of the large archive, and bytes of each. All of them are one blob. */
const archive = { files: 300, bytes: 20 * 1024 * 1024 };

/** Files of each branch of the repository that is compared, and lines of each. */
const compared = { files: 40, lines: 25_000 };
/** Webhooks of the attacker: as many as a repository may have for one event. */
const hookCount = 20;

/** Deliveries of the attacker's app, and bytes of each payload. */
const deliveries = { count: 100, bytes: 24 * 1024 * 1024 };

/** Inserts the data of the attacks into the migrated database at `url`. `receiver`: origin of the receiver of webhooks. */
export async function prepareAttacks(url: string, receiver: string): Promise<AttacksWorld> {
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
      select ${accountId}, name, now(), now() from unnest(array['ruled', 'large', 'hooked', 'compared']) as name
      returning id, name`.execute(database.sql);
    const idOf = (name: string): number => repositories.rows.find(one => one.name === name)?.id ?? 0;
    const context = {
      ...git.unlimitedSource(database.read),
      transaction: <T>(work: Parameters<typeof git.inTransaction<T>>[1]) => git.inTransaction(database, work),
      now: () => now,
    };
    /** Commits these blobs to a new branch. */
    const commit = async (
      name: string,
      branch: string,
      blobs: readonly GitObject[],
      parents: readonly string[] = [],
    ): Promise<string> => {
      const changes = blobs.map((blob, at) => ({
        path: `file-${at}.bin`,
        entry: { mode: git.modes.file, oid: blob.oid },
      }));
      const made = await git.applyChanges(
        git.openRepository(git.unlimitedSource(database.read), idOf(name)),
        undefined,
        changes,
      );
      const people = { author: person, committer: person };
      const content = git.encodeCommit({ tree: made.tree, parents, ...people, message: 'First' });
      const tip = git.createObject('commit', content);
      const updates = [{ ref: `refs/heads/${branch}`, to: tip.oid }];
      const objects = [...new Set(blobs), ...made.objects, tip];
      await git.push(context, { repositoryId: idOf(name), updates, objects });
      return tip.oid;
    };
    const small = git.createObject('blob', randomBytes(10));
    const largeBlob = git.createObject('blob', randomBytes(archive.bytes));
    const heads = {
      ruled: await commit('ruled', 'main', [small]),
      large: await commit('large', 'main', Array(archive.files).fill(largeBlob)),
      hooked: await commit('hooked', 'main', [small]),
    };
    const history: string[] = [];
    for (const branch of ['main', 'side']) {
      const lines = (): Buffer =>
        Buffer.from(`${Array.from({ length: compared.lines }, () => randomBytes(18).toString('hex')).join('\n')}\n`);
      const blobs = Array.from({ length: compared.files }, () => git.createObject('blob', lines()));
      // Histories without a common commit are not compared.
      history.push(await commit('compared', branch, blobs, history));
    }
    await sql`insert into hook (repository_id, url, content_type, events, created_at, updated_at)
      select ${idOf('hooked')}, ${receiver} || case when n % 2 = 0 then '/drip?' else '/silent?' end || n, 'json', array['push'], now(), now()
      from generate_series(1, ${hookCount}) as n`.execute(database.sql);
    const victimLogin = `victim-${Date.now()}`;
    const victimId = await around.createUser(database.sql, { login: victimLogin }, now);
    const ofVictim = { kind: 'classic', accountId: victimId, scopes: ['repo', 'user'] } as const;
    const victim = await around.insertCredential(database.sql, ofVictim, now);
    await sql`with made as (insert into repository (owner_id, name, created_at, updated_at)
        values (${victimId}, 'starred', now(), now()) returning id)
      insert into hook (repository_id, url, content_type, events, created_at, updated_at)
      select id, ${`${receiver}/victim`}, 'json', array['star'], now(), now() from made`.execute(database.sql);
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
    return {
      token,
      login,
      ruled: `${login}/ruled`,
      large: `${login}/large`,
      hooked: `${login}/hooked`,
      compared: `${login}/compared`,
      heads,
      largeBlob: largeBlob.oid,
      victim: { token: victim.token, repository: `${victimLogin}/starred` },
      appId,
      appKey,
    };
  } finally {
    await database.close();
  }
}
