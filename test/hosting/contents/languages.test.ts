import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, tomas } = (await demoOf(gateway)).users;

test('bytes of the default branch by the endings of its files, most first', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  expect((await world.get('/languages')).json).toEqual({});
  await world.commit({
    'src/a.ts': 'x'.repeat(50),
    'src/deep/down/b.tsx': 'x'.repeat(30),
    'src/copy.ts': 'x'.repeat(50),
    'main.GO': 'x'.repeat(200),
    Dockerfile: 'FROM scratch',
    'README.md': 'x'.repeat(500),
    'data.json': '{}',
    'empty.py': '',
    'link.py': { mode: '120000', text: 'src/a.ts' },
  });
  await world.commit({ 'other.rb': 'x'.repeat(900) }, { branch: 'other' });
  const { status, json } = await world.get('/languages');
  expect(status).toBe(200);
  expect(Object.entries(json)).toEqual([
    ['Go', 200],
    ['TypeScript', 130],
    ['Dockerfile', 12],
  ]);
});

test('a new commit changes them', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  await world.commit({ 'a.c': 'int a;' });
  expect((await world.get('/languages')).json).toEqual({ C: 6 });
  await world.commit({ 'b.rs': 'fn b() {}' });
  expect(Object.keys((await world.get('/languages')).json)).toEqual(['Rust', 'C']);
});

test('a private repository is absent for others', async () => {
  const world = await newWorld(gateway, wren.classic_token, { isPrivate: true });
  await world.commit({ 'a.c': 'int a;' });
  const authorization = `Bearer ${tomas.classic_token}`;
  expect((await world.get('/languages', { authorization })).status).toBe(404);
});

test('the first 10,000 entries are counted', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const folder = Array.from({ length: 10_050 }, (_, at) => [`many/${String(at).padStart(5, '0')}.py`, 'x']);
  await world.commit({ ...Object.fromEntries(folder), 'a.c': 'int a;' });
  // The folder itself and a.c are entries too.
  expect((await world.get('/languages')).json).toEqual({ Python: 9_998, C: 6 });
});
