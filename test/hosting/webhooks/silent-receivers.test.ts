import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Clone, remoteUrl } from '../../git-http/git-client.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { until } from '../../jobs/job-harness.ts';
import { newWorld, type World } from '../contents/world.ts';
import { openReceiver, type Receiver } from './receiver.ts';

const gateway = await testGateway({
  workers: true,
  settings: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10' },
});
const { wren, juniper } = (await demoOf(gateway)).users;
let isSilent = true;
const silent = await openReceiver((_request, response) => {
  if (!isSilent) response.end('ok');
});
const prompt = await openReceiver();
afterAll(async () => {
  await silent.close();
  await prompt.close();
});

const asWren = (method: string, path: string, body?: object) =>
  call(gateway, method, path, `Bearer ${wren.classic_token}`, body);

/** Creates a hook for pushes and returns its id. */
async function hook(world: World, token: string, url: string): Promise<number> {
  const config = { url, content_type: 'json' };
  const path = `/repos/${world.owner}/${world.name}/hooks`;
  const { status, json } = await call(gateway, 'POST', path, `Bearer ${token}`, { config, events: ['push'] });
  expect(status).toBe(201);
  return json.id;
}

const pushesTo = (receiver: Receiver) => receiver.of('push').length;

test('twenty hooks at a silent receiver and a push of 60 refs delay nobody else; its owner sees the pause and ends it', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const ids: number[] = [];
  for (let at = 0; at < 20; at++) ids.push(await hook(world, wren.classic_token, `${silent.url}/${at}`));
  const other = await newWorld(gateway, juniper.classic_token);
  await hook(other, juniper.classic_token, `${prompt.url}/hook`);

  const clone = await Clone.empty();
  await clone.run('commit', '-q', '--allow-empty', '-m', 'First');
  for (let at = 0; at < 60; at++) await clone.run('branch', `b${at}`);
  await clone.run('push', '-q', remoteUrl(gateway.url, `${world.owner}/${world.name}`, wren.classic_token), '--all');
  await until('the silent receiver is asked', () => pushesTo(silent) > 0);

  const message = { message: 'Note', content: 'bm90ZQ==' };
  await other.put('/contents/note.txt', message, juniper.classic_token);
  await until('the hook of another owner is told', () => pushesTo(prompt) === 1);

  type Pause = { id: string; databaseId: number; pausedUntil: string | null };
  const pauses = async (): Promise<Pause[]> => {
    const query = `{ repository(owner: "${world.owner}", name: "${world.name}") { hooks(first: 20) { nodes { id databaseId pausedUntil } } } }`;
    const { data } = await graphql(gateway, query, wren.classic_token);
    return data.repository.hooks.nodes;
  };
  const paused = await until(
    'a hook is paused',
    async () => (await pauses()).find(one => one.pausedUntil !== null),
    90,
  );
  const base = `/repos/${world.owner}/${world.name}/hooks/${paused.databaseId}`;
  expect((await asWren('GET', base)).json.last_response).toMatchObject({ code: 504, message: 'timed out' });

  // A ping ends the pause, and an answer in time the doubt.
  isSilent = false;
  const before = silent.of('ping').length;
  expect((await asWren('POST', `${base}/pings`)).status).toBe(204);
  await until('the ping arrives', () => silent.of('ping').length > before);
  await until('the hook is trusted again', async () => {
    const { rows } =
      await sql`select 1 from hook where id = ${paused.databaseId} and timeouts = 0 and paused_until is null`.execute(
        gateway.database.sql,
      );
    return rows.length === 1;
  });
}, 180_000);
