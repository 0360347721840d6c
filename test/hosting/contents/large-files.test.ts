import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const megabyte = 1024 * 1024;

test('a file of three megabytes is written and read as bytes', async () => {
  const world = await newWorld(gateway, token);
  const bytes = Buffer.alloc(3 * megabyte, 'abcdefg');
  const made = await world.put('/contents/large', { message: 'm', content: bytes.toString('base64') });
  expect([made.status, made.json.content.size]).toEqual([201, bytes.length]);
  const { json } = await world.get('/contents/large', { accept: 'application/json' });
  expect([json.encoding, json.content, json.size]).toEqual(['none', '', bytes.length]);
  const raw = await world.get('/contents/large', { accept: 'application/vnd.host.raw' });
  expect(raw.text === bytes.toString()).toBe(true);
});

test('one byte more than 100 MiB is refused', async () => {
  const world = await newWorld(gateway, token);
  const content = Buffer.alloc(100 * megabyte + 1, 'x').toString('base64');
  const { status, json } = await world.put('/contents/large', { message: 'm', content });
  expect([status, json.message, json.errors]).toEqual([
    422,
    'Validation Failed',
    [{ resource: 'Blob', field: 'content', code: 'too_large' }],
  ]);
}, 60_000);
