import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { DeliveryPriorities } from '../../../src/hosting/webhooks/delivery-priority.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';

const gateway = await testGateway();
const { wren, juniper } = (await demoOf(gateway)).users;

async function hook(world: World, token: string, url: string): Promise<number> {
  const body = { config: { url, content_type: 'json' }, events: ['push'] };
  const path = `/repos/${world.owner}/${world.name}/hooks`;
  const { status, json } = await call(gateway, 'POST', path, `Bearer ${token}`, body);
  expect(status).toBe(201);
  return json.id;
}

test('the delivery of somebody else goes before the rest of a burst', async () => {
  const busy = await newWorld(gateway, wren.classic_token);
  const hooks: number[] = [];
  for (let at = 0; at < 3; at++) hooks.push(await hook(busy, wren.classic_token, `https://busy.example.org/${at}`));
  const other = await newWorld(gateway, juniper.classic_token);
  const own = await hook(other, juniper.classic_token, 'https://other.example.org/');
  const change = (at: number) => ({ message: 'Note', content: Buffer.from(`${at}`).toString('base64') });
  for (let at = 0; at < 12; at++) await busy.put(`/contents/note-${at}.txt`, change(at));
  await other.put('/contents/note.txt', change(0), juniper.classic_token);

  // The order in which workers take them.
  const { rows } = await sql<{ hookId: number }>`
    select d.hook_id as "hookId" from jobs.job j join webhook_delivery d on d.id = (j.data ->> 'id')::bigint
    where j.name = 'webhook-delivery' and d.event = 'push' and d.hook_id = any(${[...hooks, own]}::bigint[])
    order by j.priority desc, j.created_on`.execute(gateway.database.sql);
  expect(rows).toHaveLength(3 * 12 + 1);
  // The first ones of the burst were recorded before it.
  expect(rows.findIndex(({ hookId }) => hookId === own)).toBeLessThan(3 * 12 - 3);
});

test('a receiver falls behind by what it gets, and catches up with time', () => {
  let now = 0;
  const priorities = new DeliveryPriorities(() => now);
  const next = (count: number): number[] => Array.from({ length: count }, () => priorities.next('hook 1'));
  expect(next(4)).toEqual([0, -1, -1, -2]);
  expect(priorities.next('hook 2')).toBe(0);
  expect(next(1_000).at(-1)).toBe(-6);
  now += 110_000;
  expect(next(1)).toEqual([0]);
});
