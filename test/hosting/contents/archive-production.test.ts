import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { inTransaction } from '../../../src/db/database.ts';
import { createObject, type GitObject } from '../../../src/git/object.ts';
import { encodeTree, modes } from '../../../src/git/tree.ts';
import { writeObjects } from '../../../src/git/write-objects.ts';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const small = await testGateway({ beside: gateway, settings: { ARCHIVE_MAX_MB: '4' } });
const { wren } = (await demoOf(gateway)).users;
const token = wren.classic_token;

const addressOf = ({ owner, name }: World, format = 'legacy.tar.gz') => `/codeload/${owner}/${name}/${format}/main`;

/** A download whose client reads nothing but the headers. */
function unread(path: string): Promise<{ status: number | undefined; destroy(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${gateway.url}${path}`, response => {
      response.pause();
      const destroy = (): Promise<void> =>
        new Promise(done => {
          response.once('close', done);
          response.destroy();
        });
      resolve({ status: response.statusCode, destroy });
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('stalled readers do not block other downloads, and each client gets two archives at a time', async () => {
  const world = await newWorld(gateway, token);
  const files = Array.from({ length: 24 }, (_, at) => [`file-${at}`, randomBytes(700_000)]);
  await world.commit(Object.fromEntries(files));
  const path = addressOf(world);
  const [first, second] = [await unread(path), await unread(path)];
  expect([first.status, second.status]).toEqual([200, 200]);
  const third = await gateway.request(path);
  expect(third).toMatchObject({ status: 503, json: { code: 'unavailable' } });
  expect(third.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(['content-disposition', 'etag'].map(name => third.headers.get(name))).toEqual([null, null]);
  expect((await gateway.request(path, { method: 'HEAD' })).status).toBe(200);
  // Another client, while stalled readers would hold both slots.
  const other = await gateway.request(path, { headers: { authorization: `Bearer ${token}` } });
  expect(other.status).toBe(200);
  await first.destroy();
  await second.destroy();
  let again = await gateway.request(path);
  // The gateway may notice later than the client that the connection is closed.
  for (; again.status === 503; again = await gateway.request(path));
  expect(again.status).toBe(200);
});

test.each([
  ['stars in the name of a file', `${'*a'.repeat(30)}*b export-ignore\n`, 'a'.repeat(200)],
  ['folders in a path', `${'**/'.repeat(60)}b export-ignore\n`, `${'a/'.repeat(60)}a`],
  ['sets that never end', `${'['.repeat(1_000)} export-ignore\n`, `${'['.repeat(200)}`],
])('a pattern of attributes with many %s takes no time', async (_what, attributes, path) => {
  const world = await newWorld(gateway, token);
  await world.commit({ '.gitattributes': attributes, [path]: 'kept\n' });
  for (const format of ['legacy.tar.gz', 'legacy.zip']) {
    expect((await gateway.request(addressOf(world, format))).status).toBe(200);
  }
});

test('placeholders cannot expand without limit', async () => {
  const world = await newWorld(gateway, token);
  const files = { '.gitattributes': 'a export-subst\n', a: '$Format:%B%B%B%B$'.repeat(10_000) };
  await world.commit(files, { message: 'x'.repeat(900_000) });
  const answer = await gateway.request(addressOf(world));
  expect(answer.status).toBe(200);
});

/** A tree of `width` names at each of `depth` levels, and the same file below. */
async function commitBomb(world: World, depth: number, width: number): Promise<void> {
  const objects = [createObject('blob', Buffer.from('x'))];
  for (let level = 0; level < depth; level++) {
    const { oid } = objects.at(-1) as GitObject;
    const mode = level === 0 ? modes.file : modes.directory;
    const names = Array.from({ length: width }, (_, at) => ({ mode, name: Buffer.from(`f${at}`), oid }));
    objects.push(createObject('tree', encodeTree(names)));
  }
  const { database, clock } = gateway;
  await inTransaction(database, db => writeObjects({ db, repositoryId: world.id, now: clock.now }, objects));
  await world.commit({ bomb: { mode: modes.directory, oid: objects.at(-1)?.oid ?? '' } });
}

describe.each(['legacy.tar.gz', 'legacy.zip'])('%s', format => {
  test('a tree with more entries than an archive may have is refused with the limit and its setting', async () => {
    const world = await newWorld(gateway, token);
    await commitBomb(world, 10, 10);
    const answer = await gateway.request(addressOf(world, format));
    expect(answer).toMatchObject({
      status: 422,
      json: { message: expect.stringMatching(/500000.*ARCHIVE_MAX_ENTRIES/) },
    });
    expect(['content-disposition', 'etag'].map(name => answer.headers.get(name))).toEqual([null, null]);
  });

  test('an archive that becomes too large breaks off, and is never complete', async () => {
    const world = await newWorld(gateway, token);
    const large = randomBytes(1_000_000);
    await world.commit(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, large])));
    await expect(small.request(addressOf(world, format))).rejects.toThrow();
    expect(small.defects.splice(0)).toEqual([]);
  });
});
