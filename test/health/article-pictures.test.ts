import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import sharp from 'sharp';
import { fetchDuePictures } from '../../src/health/article-pictures/fetch-pictures.ts';
import { importArticles } from '../../src/health/articles/articles.commands.ts';
import { openOutboundClient } from '../../src/outbound/outbound-client.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const { database, clock } = gateway;
const outbound = openOutboundClient({ allow: ['127.0.0.1'] });
const folder = mkdtempSync(join(tmpdir(), 'portico-pictures-'));
let origin = '';
let requests = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end();
const publisher = createServer((request, response) => {
  requests++;
  answer(request, response);
});
beforeAll(async () => {
  await new Promise<void>(done => publisher.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await outbound.close();
  await new Promise(done => publisher.close(done));
});

async function publish(title: string, picture: string): Promise<void> {
  const file = join(folder, 'feed.xml');
  writeFileSync(
    file,
    `<rss version="2.0"><channel><title>T</title><link>https://p.example/</link><item><title>${title}</title><link>https://p.example/${title}</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate><description>Text.</description>${picture && `<enclosure url="${picture}" type="image/png" length="1"/>`}</item></channel></rss>`,
  );
  const { em } = database.orm;
  const report = await importArticles(file, 'other', { em, now: clock.now, write() {}, progress() {} });
  expect(report).toMatchObject({ rejected: 0, unreadable: 0 });
}
const fetchPictures = () => fetchDuePictures({ database, clock: () => clock.now, outbound });
const imageUrl = async (title: string): Promise<string | null> =>
  (await gateway.request(`/api/v1/articles/?search=${title}`)).json.results[0].image_url;
const png = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c04040' } })
    .withExif({ IFD0: { Copyright: 'secret place' } })
    .png()
    .toBuffer();

test('the picture of a feed is fetched, encoded anew and served from here; its own address is never published', async () => {
  const sent = await png(2_000, 1_000);
  answer = (_, response) => void response.end(sent);
  await publish('Photoword', `${origin}/photo.png`);
  expect(await imageUrl('Photoword')).toBeNull();
  await fetchPictures();
  const url = await imageUrl('Photoword');
  expect(url).toMatch(new RegExp(`^${gateway.url}/pictures/articles/\\d+-[0-9a-f]{16}\\.webp$`));
  const served = await fetch(url ?? '');
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const bytes = Buffer.from(await served.arrayBuffer());
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 1_280, height: 640 });
  expect(bytes.includes('secret place')).toBe(false);

  requests = 0;
  await fetchPictures();
  await publish('Photoword', `${origin}/photo.png`);
  await fetchPictures();
  expect([requests, await imageUrl('Photoword')]).toEqual([0, url]);

  answer = async (_, response) => void response.end(await png(30, 30));
  await publish('Photoword', `${origin}/other.png`);
  expect(await imageUrl('Photoword')).toBeNull();
  expect((await fetch(url ?? '')).status).toBe(404);
  await fetchPictures();
  expect(await imageUrl('Photoword')).toMatch(/\.webp$/);
  expect(await imageUrl('Photoword')).not.toBe(url);
  await publish('Photoword', '');
  expect(await imageUrl('Photoword')).toBeNull();
});

test('the picture of a withdrawn article is not served', async () => {
  answer = async (_, response) => void response.end(await png(20, 20));
  await publish('Withdrawnphoto', `${origin}/w.png`);
  await fetchPictures();
  const url = (await imageUrl('Withdrawnphoto')) ?? '';
  expect((await fetch(url)).status).toBe(200);
  await sql`update article set withdrawn_at = now() where headline = 'Withdrawnphoto'`.execute(database.sql);
  expect((await fetch(url)).status).toBe(404);
});

test('what is no picture, too large, or at an address that is not allowed is left out, and is not asked for again', async () => {
  const problemOf = async (title: string, picture: string): Promise<unknown> => {
    await publish(title, picture);
    await fetchPictures();
    expect(await imageUrl(title)).toBeNull();
    const { rows } = await sql<{ problem: string; due: boolean }>`
      select p.problem, p.due_at is not null as due from article_picture p join article a on a.id = p.article_id
      where a.headline = ${title}`.execute(database.sql);
    return rows[0];
  };
  answer = (_, response) => void response.end('<svg xmlns="http://www.w3.org/2000/svg"/>');
  expect(await problemOf('Svgphoto', `${origin}/a.svg`)).toMatchObject({ due: false });
  answer = (_, response) => void response.end(Buffer.alloc(6 * 1024 * 1024));
  expect(await problemOf('Bigphoto', `${origin}/b.png`)).toEqual({
    problem: 'the file has more than 5 MiB',
    due: false,
  });
  answer = (_, response) => void response.writeHead(404).end();
  expect(await problemOf('Gonephoto', `${origin}/c.png`)).toEqual({
    problem: 'the publisher answers with 404',
    due: false,
  });
  answer = (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/inside.png' }).end();
  expect(await problemOf('Insidephoto', `${origin}/d.png`)).toEqual({
    problem: 'The host has no public address',
    due: true,
  });
  answer = (_, response) => void response.writeHead(503).end();
  await publish('Busyphoto', `${origin}/e.png`);
  requests = 0;
  for (let hour = 0; hour < 100; hour++) {
    await fetchPictures();
    clock.now = new Date(clock.now.getTime() + 3_600_000);
  }
  // The one that is busy five times, and the redirect that was tried once four times more.
  expect(requests).toBe(9);
});

test('other addresses of pictures are 404', async () => {
  for (const path of [
    '1-0000000000000000.webp',
    '0-.webp',
    '../articles/1-aaaaaaaaaaaaaaaa.webp',
    '999999999999999-aaaaaaaaaaaaaaaa.webp',
    '1',
  ])
    expect([path, (await gateway.request(`/pictures/articles/${path}`)).status]).toEqual([path, 404]);
});
