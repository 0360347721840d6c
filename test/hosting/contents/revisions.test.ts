import { expect, test } from '@jest/globals';
import { splitRevision } from '../../../src/git/revision-suffix.ts';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf, graphql } from '../../harness/hosting.ts';
import { newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const world = await newWorld(gateway, token);
const first = await world.commit({ 'README.md': 'one', file: '1' });
const second = await world.commit({ 'README.md': 'two', file: '2' }, { seconds: 1_790_100_000 });
const raw = { accept: 'application/vnd.host.raw' };

const fileAt = async (ref: string): Promise<string | number> => {
  const answer = await world.get(`/contents/file?ref=${encodeURIComponent(ref)}`, raw);
  return answer.status === 200 ? answer.text : answer.status;
};

test.each([
  ['HEAD', '2'],
  ['HEAD~1', '1'],
  ['HEAD~', '1'],
  ['main^', '1'],
  ['main^1', '1'],
  ['main^0', '2'],
  ['main~0', '2'],
  [`${second}~1`, '1'],
  [`${second.slice(0, 8)}^`, '1'],
  ['refs/heads/main~1', '1'],
  ['main~2', 404],
  ['main^2', 404],
  ['main^^', 404],
  ['~1', 404],
  ['main~x', 404],
  ['main~5000', 404],
  ['main^{tree}', 404],
  ['none~1', 404],
])('?ref=%s', async (ref, expected) => {
  expect(await fileAt(ref)).toBe(expected);
});

test('so do readmes, archives and expressions of the graph', async () => {
  expect((await world.get('/readme?ref=HEAD~1', raw)).text).toBe('one');
  const secret = await newWorld(gateway, token, { isPrivate: true });
  for (const [files, seconds] of [
    [{ a: '1' }, 1_790_000_000],
    [{ a: '2' }, 1_790_100_000],
  ] as const)
    await secret.commit(files, { seconds });
  for (const one of [world, secret]) {
    for (const ref of ['HEAD', 'HEAD~1', 'main^']) {
      const at = new URL((await one.get(`/zipball/${ref}`)).headers.get('location') ?? '');
      expect([ref, (await gateway.request(`${at.pathname}${at.search}`)).status]).toEqual([ref, 200]);
    }
  }
  const objectOf = async (expression: string) => {
    const document = `query($e: String) { repository(owner: "${world.owner}", name: "${world.name}") {
      object(expression: $e) { oid ... on Blob { text } } } }`;
    return (await graphql(gateway, document, token, { e: expression })).data.repository.object;
  };
  expect(await objectOf('HEAD~1')).toEqual({ oid: first });
  expect(await objectOf('main^^{commit}')).toEqual({ oid: first });
  expect(await objectOf('HEAD~1:file')).toMatchObject({ text: '1' });
  for (const absent of ['HEAD~2', 'main^2', '~1', 'HEAD~1:none']) expect(await objectOf(absent)).toBeNull();
});

test('the steps of a revision are bounded', () => {
  expect(splitRevision('a~2^2')).toEqual({ name: 'a', steps: [1, 1, 2], hasSuffix: true });
  expect(splitRevision('a~1000')?.steps.length).toBe(1_000);
  for (const long of ['a~1001', `a${'^'.repeat(1_001)}`, 'a~9999~9999', 'a~99999'])
    expect(splitRevision(long)).toBeUndefined();
});
