import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { importArticles } from '../../src/health/articles/articles.commands.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const root = join(import.meta.dirname, '../..');
/** A real feed of a newspaper, from the tests of another feed parser. */
const realRss = join(root, 'node_modules/feedparser/test/feeds/wapowellness.xml');
const realAtom = join(root, 'node_modules/feedparser/test/feeds/intertwingly.atom');
const folder = mkdtempSync(join(tmpdir(), 'portico-feeds-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(path: string, source = 'other') {
  const lines: string[] = [];
  const { em } = gateway.database.orm;
  const around = { em, now: gateway.clock.now, write: (line: string) => void lines.push(line), progress() {} };
  return { ...(await importArticles(path, source, around)), lines };
}
const articles = async (query = '') => (await gateway.request(`/api/v1/articles/${query}`)).json;

test('a real RSS feed is imported and served by REST and GraphQL; importing it again changes nothing', async () => {
  expect(await run(realRss, 'nih')).toMatchObject({ added: 29, updated: 0, unchanged: 0, rejected: 0, unreadable: 0 });
  expect(await run(realRss, 'nih')).toMatchObject({ added: 0, updated: 0, unchanged: 29, rejected: 0 });
  const { count, results } = await articles('?source=nih&page_size=100');
  expect(count).toBe(29);
  for (const one of results) {
    expect(one.source_url).toMatch(/^https?:\/\//);
    expect(one.headline).not.toMatch(/[<>]|&\w+;/);
    expect(one.read_time_minutes).toBeGreaterThanOrEqual(1);
  }
  const [first] = results;
  const { json } = await gateway.graphql(
    'query($id: SafeInt!) { article(databaseId: $id) { headline sourceUrl body source } }',
    { id: first.id },
  );
  expect(json.data.article).toMatchObject({ headline: first.headline, sourceUrl: first.source_url, source: 'NIH' });
  expect(json.data.article.body).not.toMatch(/<script|\son\w+=|javascript:/i);
});

test('a real Atom feed is imported', async () => {
  expect(await run(realAtom, 'cdc')).toMatchObject({ added: 20, rejected: 0, unreadable: 0 });
  expect((await articles('?source=cdc')).count).toBe(20);
});

const rss = (...items: string[]) =>
  `<rss version="2.0"><channel><title>T</title><link>https://example.org/</link>${items.join('')}</channel></rss>`;
const item = (title: string, link: string, more = '') =>
  `<item><title>${title}</title><link>${link}</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate><description>Text of ${title}.</description>${more}</item>`;

test('invalid entries are reported without affecting others; changes are applied', async () => {
  const file = join(folder, 'mixed.xml');
  writeFileSync(
    file,
    rss(
      item('One', 'https://example.org/1', '<category>Sleep Well</category>'),
      item('Bad', 'javascript:alert(1)'),
      item('Two', 'https://EXAMPLE.org:443/2?utm_source=x#y'),
    ),
  );
  const first = await run(file);
  expect(first).toMatchObject({ added: 2, rejected: 1 });
  expect(first.lines.join('\n')).toMatch(/entry 2 «Bad»: its link is not a usable http\(s\) address/);
  writeFileSync(
    file,
    rss(
      item('One, mended', 'https://example.org/1', '<category>Heart</category>'),
      item('Two', 'https://example.org/2'),
    ),
  );
  expect(await run(file)).toMatchObject({ added: 0, updated: 1, unchanged: 1, rejected: 0 });
  const [one] = (await articles('?search=mended')).results;
  expect(one).toMatchObject({ headline: 'One, mended', source_url: 'https://example.org/1' });
  expect(one.categories.map((category: { slug: string }) => category.slug)).toEqual(['heart']);
});

test('concurrent imports of one feed create each article once', async () => {
  const file = join(folder, 'twice.xml');
  writeFileSync(
    file,
    rss(
      ...Array.from({ length: 20 }, (_, index) => item(`Zwilling ${index}`, `https://example.org/zwilling/${index}`)),
    ),
  );
  const reports = await Promise.all([run(file), run(file), run(file)]);
  expect(reports.reduce((sum, report) => sum + report.added, 0)).toBe(20);
  expect(reports.map(report => report.rejected)).toEqual([0, 0, 0]);
  expect((await articles('?search=zwilling')).count).toBe(20);
});

test('an article that was withdrawn stays withdrawn', async () => {
  const file = join(folder, 'withdrawn.xml');
  writeFileSync(file, rss(item('Gone', 'https://example.org/gone')));
  await run(file);
  await sql`update article set withdrawn_at = now() where source_url = 'https://example.org/gone'`.execute(
    gateway.database.sql,
  );
  writeFileSync(file, rss(item('Gone again', 'https://example.org/gone')));
  await run(file);
  expect((await articles('?search=gone')).count).toBe(0);
});

test('an invalid or missing file is reported and counted', async () => {
  writeFileSync(join(folder, 'page.xml'), '<!doctype html><html><body>404</body></html>');
  expect(await run(join(folder, 'page.xml'))).toMatchObject({ added: 0, unreadable: 1 });
  const missing = await run(join(folder, 'missing.xml'));
  expect(missing).toMatchObject({ unreadable: 1 });
  expect(missing.lines[0]).toMatch(/missing\.xml/);
});

test('the command line imports a directory, refuses an unknown publisher, and has help', async () => {
  const feeds = mkdtempSync(join(folder, 'feeds-'));
  writeFileSync(join(feeds, 'a.rss'), rss(item('By command', 'https://example.org/by-command')));
  writeFileSync(join(feeds, 'notes.txt'), 'no feed');
  const portico = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(root, 'scripts/portico.ts'), ...args], {
      cwd: folder,
      // biome-ignore lint/style/noProcessEnv: a child needs the path of this process, and the database of this test.
      env: { PATH: process.env.PATH, DATABASE_URL: gateway.databaseUrl },
    });
  const { stdout } = await portico('articles', 'import', feeds, '--source', 'who');
  expect(stdout).toBe('1 added, 0 updated, 0 unchanged, 0 rejected.\n');
  expect((await articles('?source=who&search=command')).count).toBe(1);
  await expect(portico('articles', 'import', feeds, '--source', 'nobody')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('It must be one of who, cdc, nih, nhs, medlineplus, mayo, other.'),
  });
  expect((await portico('articles', 'import', '--help')).stdout).toMatch(/RSS 2\.0, Atom or JSON Feed/);
}, 60_000);
