import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { insertCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import { randomHistory } from '../../git/random-history.ts';
import { testGateway } from '../../harness/gateway.ts';
import { gitServer } from '../../harness/git-server.ts';
import { refusalOf, subscribe } from '../../harness/subscription.ts';
import { importWorld } from './import-world.ts';

const { gateway, token, ask, settled, target } = await importWorld();
const beside = await testGateway({ beside: gateway, settings: { SOURCE_IMPORTS: 'on' } });
const retired = await testGateway({ beside: gateway });
const db = gateway.database.sql;
const owner = token.replace('Bearer ', '');
const history = randomHistory(60, 7);
const server = await gitServer({ repositories: { plain: join(history.path, '.git') } });

interface Changed {
  sourceImportChanged: { status: string; commitCount: number | null; importPercent: number | null };
}

const document = `subscription($id: ID!) { sourceImportChanged(repositoryId: $id) { status commitCount importPercent } }`;
const listen = (id: number, access = owner, at = beside) =>
  subscribe<Changed>(at, access, document, { id: encodeGlobalId('Repository', id) });

/** A stored import that no worker touches. */
async function standingImport(): Promise<{ id: number; path: string }> {
  const { id, path } = await target();
  await ask('PUT', path, '', { vcs_url: `${server.url}/plain`, vcs: 'git' });
  await settled(path);
  return { id, path };
}

/** Changes the state as a worker does. */
const setPercent = (id: number, percent: number): Promise<unknown> =>
  sql`update source_import set import_percent = ${percent} where repository_id = ${id}`.execute(db);

test('states of an import arrive on a gateway that does not run it, up to the last one', async () => {
  const { id, path } = await target();
  await ask('PUT', path, '', { vcs_url: `${server.url}/plain`, vcs: 'git' });
  const states: Changed['sourceImportChanged'][] = [];
  for await (const { data, errors } of listen(id)) {
    expect(errors).toBeUndefined();
    if (data) states.push(data.sourceImportChanged);
    if (data?.sourceImportChanged.status === 'COMPLETE') break;
  }
  expect(states.at(-1)).toMatchObject({ status: 'COMPLETE', importPercent: 100 });
  const order = ['DETECTING', 'IMPORTING', 'MAPPING', 'PUSHING', 'COMPLETE'];
  const seen = states.map(({ status }) => order.indexOf(status));
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen).not.toContain(-1);
});

test('changes that are committed together are one state, and a change of nothing is none', async () => {
  const { id } = await standingImport();
  const events = listen(id);
  expect((await events.next()).value.data.sourceImportChanged.status).toBe('COMPLETE');
  await inTransaction(gateway.database, async transaction => {
    for (const percent of [10, 20, 30])
      await sql`update source_import set import_percent = ${percent} where repository_id = ${id}`.execute(transaction);
  });
  expect((await events.next()).value.data.sourceImportChanged.importPercent).toBe(30);
  await setPercent(id, 30);
  await setPercent(id, 40);
  expect((await events.next()).value.data.sourceImportChanged.importPercent).toBe(40);
  await events.return?.();
});

test('cancelling the import ends the subscription', async () => {
  const { id, path } = await standingImport();
  const events = listen(id);
  expect((await events.next()).done).toBe(false);
  expect((await ask('DELETE', path)).status).toBe(204);
  let last = await events.next();
  while (!last.done) last = await events.next();
  expect(last.done).toBe(true);
});

test('a revoked credential ends the subscription', async () => {
  const { id } = await standingImport();
  const other = await inTransaction(gateway.database, async transaction => {
    const { rows } = await sql<{ id: number }>`select owner_id as id from repository where id = ${id}`.execute(
      transaction,
    );
    const accountId = Number(rows[0]?.id);
    return insertCredential(transaction, { kind: 'classic', accountId, scopes: ['repo'] }, gateway.clock.now);
  });
  const events = listen(id, other.token);
  expect((await events.next()).done).toBe(false);
  await sql`update host_credential set revoked_at = now() where id = ${other.credential.id}`.execute(db);
  await setPercent(id, 55);
  expect((await events.next()).done).toBe(true);
});

test('a stranger, an absent import and an absent repository are refused', async () => {
  const { id } = await standingImport();
  await sql`update repository set is_private = true where id = ${id}`.execute(db);
  const stranger = await inTransaction(gateway.database, async transaction => {
    const { rows } = await sql<{ id: number }>`insert into account (kind, login, created_at, updated_at)
      values ('user', 'stranger', now(), now()) returning id`.execute(transaction);
    const accountId = Number(rows[0]?.id);
    return insertCredential(transaction, { kind: 'classic', accountId, scopes: ['repo'] }, gateway.clock.now);
  });
  expect(await refusalOf(listen(id, stranger.token))).toContain('NOT_FOUND');
  const empty = await target();
  expect(await refusalOf(listen(empty.id))).toContain('NOT_FOUND');
  expect(await refusalOf(listen(987_654_321))).toContain('NOT_FOUND');
  const user = subscribe(beside, owner, document, { id: encodeGlobalId('User', 1) });
  expect(await refusalOf(user)).toContain('BAD_USER_INPUT');
  expect(await refusalOf(listen(id, owner, retired))).toContain('GONE');
});
