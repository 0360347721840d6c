import { describe, expect, test } from '@jest/globals';
import { run as highlight } from '../../../src/hosting/contents/highlight-worker.ts';
import { renderMarkdown } from '../../../src/hosting/contents/render-markdown.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;

describe('a text whose result is many times as long', () => {
  const reference = (chars: number, uses: number): string => `[a]: /${'u'.repeat(chars)}\n\n${'[a]\n'.repeat(uses)}`;

  test('Markdown: a long reference that many links name is not rendered', () => {
    expect(renderMarkdown(reference(20_000, 1_000))).toBeUndefined();
    expect(renderMarkdown(reference(100, 1_000))).toContain('</a>');
  });

  test('source code: elements that are open in many lines are not repeated', () => {
    const nested = (depth: number): string => '`${'.repeat(depth) + '\n'.repeat(depth);
    expect(highlight({ name: 'a.ts', text: nested(400) })).toBeUndefined();
    expect(highlight({ name: 'a.ts', text: nested(20) })).toHaveLength(21);
  });
});

test('a readme is found among links that lead nowhere, after 20 of them it is none', async () => {
  const world = await newWorld(gateway, token);
  const links = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`README.a${100 + at}`, { mode: '120000', text: 'nowhere' }]),
    );
  await world.commit({ ...links(10), 'README.z': 'found' });
  expect((await world.get('/readme', { accept: 'application/json' })).json).toMatchObject({ path: 'README.z' });
  await world.commit(links(40));
  expect((await world.get('/readme')).status).toBe(404);
});

describe('commits with messages of a megabyte', () => {
  const message = `${'m'.repeat(900_000)}\n\nbody\n`;

  test('a list of them is refused by the limit of a response, and one of them is served', async () => {
    const world = await newWorld(gateway, token);
    for (let at = 0; at < 40; at++) await world.commit({ file: `${at}` }, { message });
    const path = `/repos/${world.owner}/${world.name}`;
    const list = await call(gateway, 'GET', `${path}/commits?per_page=100`, `Bearer ${token}`);
    expect(list).toMatchObject({ status: 422, json: { message: expect.stringContaining('large values') } });
    const few = await call(gateway, 'GET', `${path}/commits?per_page=3`, `Bearer ${token}`);
    expect([few.status, few.json.length]).toEqual([200, 3]);
    const document = `{ repository(owner: "${world.owner}", name: "${world.name}") { object(expression: "main") { ... on Commit {
      ${Array.from({ length: 12 }, (_, at) => `m${at}: message`).join(' ')} } } } }`;
    const { errors } = await graphql(gateway, document, token);
    expect(errors?.[0]?.extensions.code).toBe('ANSWER_TOO_LARGE');
  });

  test('pages show the beginning of a headline', async () => {
    const world = await newWorld(gateway, token);
    await world.commit(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}`, 'x'])), { message });
    const page = await gateway.request(`/${world.owner}/${world.name}`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.text).toContain(`${'m'.repeat(500)}…`);
    expect(page.text.length).toBeLessThan(100_000);
  });
});
