import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { importArticles, importStatus } from '../../src/health/articles/articles.commands.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'portico-versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rss = (items: string, written = '') =>
  `<rss version="2.0"><channel><title>T</title><link>https://v.example/</link>${written}${items}</channel></rss>`;
const item = (title: string, link: string, more = '', date = 'Mon, 05 Jan 2026 10:00:00 GMT') =>
  `<item><title>${title}</title><link>${link}</link>${date && `<pubDate>${date}</pubDate>`}<description>Text of ${title}.</description>${more}</item>`;
const guid = (id: string) => `<guid isPermaLink="false">${id}</guid>`;

let files = 0;
async function run(...feeds: string[]) {
  const path = join(folder, String(++files));
  mkdirSync(path);
  for (const [at, feed] of feeds.entries()) writeFileSync(join(path, `${at}.xml`), feed);
  const lines: string[] = [];
  const { em } = gateway.database.orm;
  const now = gateway.clock.now;
  const report = await importArticles(path, 'other', { em, now, write: line => void lines.push(line), progress() {} });
  const { added, updated, unchanged, older, rejected } = report;
  return { counts: [added, updated, unchanged, older, rejected], report, lines };
}
async function titles(search: string): Promise<string[]> {
  const { json } = await gateway.request(`/api/v1/articles/?search=${search}&ordering=id&page_size=100`);
  return json.results.map((one: { headline: string }) => one.headline);
}

test('entries that are places of one page are articles of their own', async () => {
  const items = Array.from({ length: 50 }, (_, at) =>
    item(`Placeword ${at}`, `https://v.example/page${Math.floor(at / 7)}#e${at}`, guid(`page#e${at}`)),
  ).join('');
  expect((await run(rss(items))).counts).toEqual([50, 0, 0, 0, 0]);
  expect((await run(rss(items))).counts).toEqual([0, 0, 50, 0, 0]);
  expect(await titles('Placeword')).toHaveLength(50);
});

test('so are places of one page without guids, and the feed may name fewer of them later', async () => {
  const one = item('Anchorword one', 'https://v.example/anchors#a', guid('anchor-1'));
  const two = item('Anchorword two', 'https://v.example/anchors#b', guid('anchor-2'));
  expect((await run(rss(one + two))).counts).toEqual([2, 0, 0, 0, 0]);
  expect((await run(rss(two))).counts).toEqual([0, 0, 1, 0, 0]);
  const bare = item('Bareword one', 'https://v.example/bare#a') + item('Bareword two', 'https://v.example/bare#b');
  expect((await run(rss(bare))).counts).toEqual([2, 0, 0, 0, 0]);
  expect((await run(rss(bare))).counts).toEqual([0, 0, 2, 0, 0]);
});

test('one link with two guids is two articles', async () => {
  const feed = rss(
    item('Twinword A', 'https://v.example/twins', guid('a')) + item('Twinword B', 'https://v.example/twins', guid('b')),
  );
  expect((await run(feed)).counts).toEqual([2, 0, 0, 0, 0]);
  expect((await run(feed)).counts).toEqual([0, 0, 2, 0, 0]);
  expect(await titles('Twinword')).toEqual(['Twinword A', 'Twinword B']);
});

test('a number behind # in a guid counts versions of one article', async () => {
  const version = (number: number, text: string) =>
    item('Counterword', 'https://v.example/counter', guid(`https://v.example/counter#${number}`)).replace(
      'Text of',
      text,
    );
  expect((await run(rss(version(0, 'Old text of') + version(3, 'New text of')))).counts).toEqual([1, 0, 0, 1, 0]);
  expect((await run(rss(version(4, 'Newest text of')))).counts).toEqual([0, 1, 0, 0, 0]);
  expect(await titles('Counterword')).toEqual(['Counterword']);
});

test('an article whose link moved is the same one', async () => {
  const entry = (link: string, updated: string) =>
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><id>urn:moved</id><title>Movedword</title><link href="${link}"/><updated>${updated}</updated><summary>x</summary></entry></feed>`;
  expect((await run(entry('https://v.example/old', '2026-01-01T00:00:00Z'))).counts).toEqual([1, 0, 0, 0, 0]);
  expect((await run(entry('https://v.example/new', '2026-01-02T00:00:00Z'))).counts).toEqual([0, 1, 0, 0, 0]);
  // The copy from before says the same, and is older.
  expect((await run(entry('https://v.example/old', '2026-01-01T00:00:00Z'))).counts).toEqual([0, 0, 1, 0, 0]);
  const { json } = await gateway.request('/api/v1/articles/?search=Movedword');
  expect(json.results.map((one: { source_url: string }) => one.source_url)).toEqual(['https://v.example/new']);
});

test('a guid that every entry has identifies none', async () => {
  const feed = rss(
    item('Sameguid A', 'https://v.example/g1', guid('https://v.example/')) +
      item('Sameguid B', 'https://v.example/g2', guid('https://v.example/')),
  );
  expect((await run(feed)).counts).toEqual([2, 0, 0, 0, 0]);
  expect((await run(feed)).counts).toEqual([0, 0, 2, 0, 0]);
});

test('an older copy does not replace a newer one, by the dates of the entries', async () => {
  const old = rss(item('Doseword 150 mg', 'https://v.example/dose', guid('dose'), 'Mon, 05 Jan 2026 10:00:00 GMT'));
  const corrected = rss(
    item('Doseword 15 mg', 'https://v.example/dose', guid('dose'), 'Tue, 06 Jan 2026 10:00:00 GMT'),
  );
  expect((await run(old)).counts).toEqual([1, 0, 0, 0, 0]);
  expect((await run(corrected)).counts).toEqual([0, 1, 0, 0, 0]);
  const { counts, report, lines } = await run(old);
  expect(counts).toEqual([0, 0, 0, 1, 0]);
  expect(lines[0]).toMatch(/entry 1 «Doseword 150 mg»: older, the stored version is a later one\.$/);
  expect(report.entries).toMatchObject([{ position: 1, outcome: 'older', link: 'https://v.example/dose' }]);
  expect((await run(corrected, old)).counts).toEqual([0, 0, 1, 1, 0]);
  expect(await titles('Doseword')).toEqual(['Doseword 15 mg']);
});

test('nor by the dates of the feeds, nor where no date tells', async () => {
  const copy = (title: string, day: number | null) =>
    rss(
      item(title, 'https://v.example/feed-dates'),
      day === null ? '' : `<lastBuildDate>${day} Jan 2026 10:00:00 GMT</lastBuildDate>`,
    );
  expect((await run(copy('Builtword new', 20))).counts).toEqual([1, 0, 0, 0, 0]);
  expect((await run(copy('Builtword old', 10))).counts).toEqual([0, 0, 0, 1, 0]);
  expect(await titles('Builtword')).toEqual(['Builtword new']);

  const both = [1, 2].map(at => rss(item(`Undatedword ${at}`, 'https://v.example/undated')));
  expect((await run(...both)).counts).toEqual([1, 1, 0, 0, 0]);
  // A folder with both copies changes nothing any more.
  expect((await run(...both)).counts).toEqual([0, 0, 1, 1, 0]);
  expect(await titles('Undatedword')).toEqual(['Undatedword 2']);
});

test('what a correction replaced is kept, for readers of the article', async () => {
  const version = (title: string, day: number) =>
    rss(item(title, 'https://v.example/corrected', guid('corrected'), `${day} Jan 2026 10:00:00 GMT`));
  await run(version('Fixedword 150 mg', 5));
  await run(version('Fixedword 15 mg', 6));
  await run(version('Fixedword 15 mg daily', 7));
  const { json } = await gateway.request('/api/v1/articles/?search=Fixedword');
  const { json: answer } = await gateway.graphql(
    'query($id: SafeInt!) { article(databaseId: $id) { headline revisions { id headline body publishedAt replacedAt } } }',
    { id: json.results[0].id },
  );
  expect(answer).toMatchObject({
    data: {
      article: {
        headline: 'Fixedword 15 mg daily',
        revisions: [
          { headline: 'Fixedword 15 mg', body: '<p>Text of Fixedword 15 mg.</p>' },
          { headline: 'Fixedword 150 mg', body: '<p>Text of Fixedword 150 mg.</p>' },
        ],
      },
    },
  });
  const [{ id }] = answer.data.article.revisions;
  const revision = () =>
    gateway.graphql('query($id: ID!) { node(id: $id) { ... on ArticleRevision { headline } } }', { id });
  expect((await revision()).json.data.node).toEqual({ headline: 'Fixedword 15 mg' });
  await sql`update article set withdrawn_at = now() where source_url = 'https://v.example/corrected'`.execute(
    gateway.database.sql,
  );
  expect((await revision()).json.data.node).toBeNull();
});

test('feeds without dates are read, with the time of the import', async () => {
  const json = JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'T',
    items: [{ id: 1, url: 'https://v.example/json', title: 'Timelessword', content_text: 'x' }],
  });
  const rss091 = `<rss version="0.91"><channel><title>T</title>${item('Timelessword 0.91', 'https://v.example/091', '', '')}</channel></rss>`;
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>T</title></channel><item rdf:about="https://v.example/rdf"><title>Timelessword 1.0</title></item></rdf:RDF>`;
  expect((await run(json, rss091, rdf)).counts).toEqual([3, 0, 0, 0, 0]);
  expect((await run(json, rss091, rdf)).counts).toEqual([0, 0, 3, 0, 0]);
  expect(await titles('Timelessword')).toHaveLength(3);
});

test('the exit status tells some refused from nothing accepted', async () => {
  const good = item('Statusword', 'https://v.example/status');
  const bad = item('Bad', 'javascript:alert(1)');
  expect(importStatus((await run(rss(good))).report)).toBe(0);
  expect(importStatus((await run(rss(good + bad))).report)).toBe(1);
  expect(importStatus((await run(rss(good), 'no feed')).report)).toBe(1);
  expect(importStatus((await run(rss(bad + bad))).report)).toBe(2);
  expect(importStatus((await run('no feed')).report)).toBe(2);
  expect(importStatus((await run()).report)).toBe(2);
});

test('the command prints JSON and exits with that status', async () => {
  const file = join(folder, 'command.xml');
  writeFileSync(file, rss(item('Bad', 'javascript:alert(1)')));
  const failed = promisify(execFile)(
    process.execPath,
    [join(root, 'scripts/portico.ts'), 'articles', 'import', file, '--json'],
    {
      cwd: folder,
      // biome-ignore lint/style/noProcessEnv: a child needs the path of this process, and the database of this test.
      env: { PATH: process.env.PATH, DATABASE_URL: gateway.databaseUrl },
    },
  );
  const { code, stdout } = await failed.then(
    () => ({ code: 0, stdout: '' }),
    error => error as { code: number; stdout: string },
  );
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    added: 0,
    rejected: 1,
    entries: [{ file, position: 1, title: 'Bad', outcome: 'rejected', reason: expect.stringContaining('its link') }],
  });
}, 60_000);
