import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const branded = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', settings: { HOSTING_BRAND: 'github' } });
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const asJson = { accept: 'application/vnd.host+json' };
const asHtml = { accept: 'application/vnd.host.html' };

test.each<[string, Record<string, string>, string]>([
  ['Markdown before others', { README: 'a', 'README.rst': 'a', 'readme.md': 'b', 'README.txt': 'a' }, 'readme.md'],
  ['other markup before a plain one', { README: 'a', 'README.adoc': 'b' }, 'README.adoc'],
  ['the folder of the brand before the root', { 'README.md': 'a', '.host/ReadMe.md': 'b' }, '.host/ReadMe.md'],
  ['the root before docs', { README: 'a', 'docs/README.md': 'b' }, 'README'],
  ['docs at last', { 'x.md': 'a', 'docs/README.md': 'b', 'src/README.md': 'c' }, 'docs/README.md'],
])('%s', async (_name, files, path) => {
  const world = await newWorld(gateway, token);
  await world.commit(files);
  for (const at of ['/readme', '/readme/']) {
    const { status, json } = await world.get(at, asJson);
    expect([status, json.path]).toEqual([200, path]);
  }
});

test('raw by default and JSON where it is asked for; with the brand of GitHub JSON by default', async () => {
  for (const [server, byDefault] of [
    [gateway, 'raw'],
    [branded, 'json'],
  ] as const) {
    const bearer = (await demoOf(server)).users.wren.classic_token;
    const world = await newWorld(server, bearer);
    await world.commit({ 'README.md': '# One\n', 'docs/README.md': '# Two\n' });
    const word = server === gateway ? 'host' : 'github';
    const formOf = async (path: string, accept: string | undefined): Promise<string> => {
      const { text } = await world.get(path, accept === undefined ? {} : { accept });
      return text.startsWith('#') ? 'raw' : text.startsWith('{') ? 'json' : text;
    };
    for (const path of ['/readme', '/readme/docs']) {
      for (const accept of [undefined, '', '*/*', 'text/html, */*;q=0.1'])
        expect([path, accept, await formOf(path, accept)]).toEqual([path, accept, byDefault]);
      for (const accept of ['application/json', `application/vnd.${word}+json`, `application/vnd.${word}.v3+json`])
        expect([path, accept, await formOf(path, accept)]).toEqual([path, accept, 'json']);
      expect(await formOf(path, `application/vnd.${word}.raw`)).toBe('raw');
    }
  }
});

test('raw, 304 and one directory', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'README.md': '# One\n', 'sub/dir/Readme': 'plain <b>', 'none/x': 'x' });
  const raw = await world.get('/readme', { accept: 'application/vnd.host.raw' });
  expect([raw.status, raw.text]).toEqual([200, '# One\n']);
  expect(raw.headers.get('content-type')).toBe('application/vnd.host.raw; charset=utf-8');
  const { json, headers } = await world.get('/readme', asJson);
  expect(json).toMatchObject({ type: 'file', name: 'README.md', encoding: 'base64' });
  expect((await world.get('/readme', { ...asJson, 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  const inside = await world.get('/readme/sub/dir', asJson);
  expect(inside.json.path).toBe('sub/dir/Readme');
  expect((await world.get('/readme/sub/dir', asHtml)).text).toBe('<pre>plain &lt;b&gt;</pre>');
  const missing = await world.get('/readme/none', asJson);
  expect([missing.status, missing.json.message]).toEqual([404, 'Not Found']);
  expect(missing.json.documentation_url).toMatch(/#get-a-repository-readme-for-a-directory$/);
  expect((await world.get('/readme?ref=nope', asJson)).json.message).toBe('No commit found for the ref nope');
  const bare = await newWorld(gateway, token);
  await bare.commit({ x: 'x' });
  expect((await bare.get('/readme', asJson)).json.message).toBe('Not Found');
});

test('scripts, styles and spoofed ids are removed from HTML', async () => {
  const world = await newWorld(gateway, token);
  const text = [
    '# Title & more',
    '# Title & more',
    '<script>alert(1)</script><style>p{}</style><iframe src="//x"></iframe>',
    '<p style="x" class="y" onclick="z()" id="mine">text</p>',
    '[bad](javascript:alert(1)) <a href="jAvaScript:alert(1)">x</a> <a href="data:text/html,x">y</a>',
    '[good](https://example.org) ![pic](img/a.png)',
    '- [x] done\n- [ ] open',
    '| a | b |\n|---|---|\n| 1 | ~~2~~ |',
    '```ts\nconst a = "<b>";\n```',
    '<form action="/x"><input type="text" name="q"><input type="checkbox"></form>',
    '<svg><script>1</script></svg><math><mi xlink:href="javascript:1">x</mi></math>',
  ].join('\n\n');
  await world.commit({ 'README.md': text });
  const { text: page, headers } = await world.get('/readme', asHtml);
  expect(headers.get('content-type')).toBe('application/vnd.host.html; charset=utf-8');
  expect(page).not.toMatch(
    /<script|<style|<iframe|<form|<svg|onclick|style=|"javascript:|data:text|type="text"|class="y"/i,
  );
  expect(page).toContain('<h1 id="user-content-title--more">Title &amp; more</h1>');
  expect(page).toContain('id="user-content-title--more-1"');
  expect(page).toContain('<p id="user-content-mine">text</p>');
  expect(page).toContain('<a href="https://example.org" rel="nofollow noopener">good</a>');
  expect(page).toMatch(/<input type="checkbox" disabled checked/);
  expect(page).toContain('<table>');
  expect(page).toContain('<code class="language-ts">const a = "&lt;b&gt;";');
});

test('crafted slow Markdown is shown unrendered, and other requests do not wait', async () => {
  const world = await newWorld(gateway, token);
  const megabyte = 1024 * 1024;
  // Texts that take minutes to render, and some that are nested too deep.
  const slow = { lists: '- a\n', brackets: '[', emphasis: '*a_ ', strong: '**a *b ', quotes: '> ', tags: '<a>' };
  const files = Object.entries(slow).map(([folder, part]) => [
    `${folder}/README.md`,
    part.repeat(Math.floor(megabyte / part.length)),
  ]);
  await world.commit({ ...Object.fromEntries(files), 'plain/README.md': '# Plain' });
  // Loaded in advance, so that the test measures the wait and not the read.
  await world.get('/contents');
  const began = performance.now();
  const pages = Promise.all(Object.keys(slow).map(folder => world.get(`/readme/${folder}`, asHtml)));
  let longest = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const at = performance.now();
      await new Promise(resolve => setTimeout(resolve, 1));
      longest = Math.max(longest, performance.now() - at);
    }
  })();
  const answers = await pages;
  isOver = true;
  await watching;
  expect(answers.map(({ status }) => status)).toEqual(Object.keys(slow).map(() => 200));
  // Two threads and two seconds for each of six texts, plus the transfer of megabytes on a busy machine.
  expect(performance.now() - began).toBeLessThan(20_000);
  // On the main thread, any of them would block longer.
  expect(longest).toBeLessThan(2_000);
  expect(answers[0]?.text.slice(0, 13)).toBe('<pre>- a\n- a\n');
  expect((await world.get('/readme/plain', asHtml)).text).toContain('<h1 id="user-content-plain">Plain</h1>');
  // The second request finds the cached failure.
  const again = performance.now();
  expect((await world.get('/readme/lists', asHtml)).text).toBe(answers[0]?.text);
  expect(performance.now() - again).toBeLessThan(2_000);
}, 60_000);
