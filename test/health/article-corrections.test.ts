import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { importArticles } from '../../src/health/articles/articles.commands.ts';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const [reader, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const folder = mkdtempSync(join(tmpdir(), 'portico-corrections-'));
afterAll(() => rmSync(folder, { recursive: true }));

const minutesLater = (minutes: number): Date =>
  (gateway.clock.now = new Date(gateway.clock.now.getTime() + minutes * 60_000));

async function publish(title: string, text: string, more = ''): Promise<void> {
  const file = join(folder, 'feed.xml');
  const link = `https://c.example/${title.split(' ')[0]}`;
  writeFileSync(
    file,
    `<rss version="2.0"><channel><title>T</title><link>https://c.example/</link><item><title>${title}</title><link>${link}</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate><description><![CDATA[${text}]]></description>${more}</item></channel></rss>`,
  );
  const { em } = gateway.database.orm;
  const report = await importArticles(file, 'other', { em, now: gateway.clock.now, write() {}, progress() {} });
  expect(report).toMatchObject({ rejected: 0, unreadable: 0 });
}
async function idOf(search: string): Promise<number> {
  return (await gateway.request(`/api/v1/articles/?search=${search}`)).json.results[0].id;
}
async function corrections({ access }: TestAccount): Promise<(string | null)[]> {
  const query = '{ healthViewer { bookmarks { edges { unseenCorrectionAt node { correctedAt } } } } }';
  const { json } = await gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
    body: JSON.stringify({ query }),
  });
  return json.data.healthViewer.bookmarks.edges.map(
    (one: { unseenCorrectionAt: string | null }) => one.unseenCorrectionAt,
  );
}
const instant = (): string => gateway.clock.now.toISOString().replace('.000Z', '.000000Z');

test('a bookmark shows a correction until the article is opened, once for each', async () => {
  await publish('Doseword', 'Take <b>150</b> mg  daily.');
  const id = await idOf('Doseword');
  minutesLater(1);
  for (const { access } of [reader, other]) await send(gateway, 'POST', `/articles/${id}/bookmark/`, undefined, access);
  minutesLater(1);
  expect(await corrections(reader)).toEqual([null]);

  await publish('Doseword', 'Take 150   mg\n daily.', '<category>Other</category>');
  expect(await corrections(reader)).toEqual([null]);

  minutesLater(1);
  await publish('Doseword', 'Take 15 mg daily.');
  const corrected = instant();
  expect(await corrections(reader)).toEqual([corrected]);
  minutesLater(1);
  await publish('Doseword', 'Take 15 mg daily.');
  expect(await corrections(reader)).toEqual([corrected]);

  await send(gateway, 'GET', `/articles/${id}/`, undefined, reader.access);
  expect(await corrections(reader)).toEqual([null]);
  expect(await corrections(other)).toEqual([corrected]);

  minutesLater(1);
  await publish('Doseword', 'Take 15 mg every other day.');
  expect(await corrections(reader)).toEqual([instant()]);
  const { json } = await gateway.graphql('query($id: SafeInt!) { article(databaseId: $id) { correctedAt } }', { id });
  expect(json.data.article).toEqual({ correctedAt: instant() });
});

test('a bookmark that is younger than the correction shows none', async () => {
  await publish('Youngword', 'One.');
  minutesLater(1);
  await publish('Youngword', 'Two.');
  minutesLater(1);
  const id = await idOf('Youngword');
  await send(gateway, 'POST', `/articles/${id}/bookmark/`, undefined, other.access);
  expect((await corrections(other))[0]).toBeNull();
});

test('another picture is no correction of the text', async () => {
  await publish('Picturedword', 'One.');
  minutesLater(1);
  const id = await idOf('Picturedword');
  await send(gateway, 'POST', `/articles/${id}/bookmark/`, undefined, reader.access);
  minutesLater(1);
  await publish('Picturedword', 'One.', '<enclosure url="https://c.example/other.png" type="image/png" length="1"/>');
  expect((await corrections(reader))[0]).toBeNull();
});
