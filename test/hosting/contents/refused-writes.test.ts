import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { inRepository } from '../../harness/git-mutations.ts';
import { demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const hello = { message: 'Hello', content: base64('hello\n') };
const none = '0'.repeat(40);

test('over GraphQL, a blob id of a file that does not exist is ignored by a write and refused by a deletion', async () => {
  const world = await newWorld(gateway, token);
  const write = (path: string) => `mutation { createOrUpdateFile(input: { ${inRepository(world.owner, world.name)},
    path: "${path}", message: "m", content: "aGk=", blobOid: "${none}" }) { commit { oid } } }`;
  expect((await graphql(gateway, write('first'), token)).errors).toBeUndefined();
  await world.commit({ taken: 'x' });
  expect((await graphql(gateway, write('free'), token)).errors).toBeUndefined();
  const remove = `mutation { deleteFile(input: { ${inRepository(world.owner, world.name)}, path: "absent", message: "m",
    blobOid: "${none}" }) { commit { oid } } }`;
  expect((await graphql(gateway, remove, token)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  expect((await world.get('/contents/free')).status).toBe(200);
});

test('null is an absent author, committer, branch and sha', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ taken: 'x' });
  const nothing = { author: null, committer: null, branch: null };
  const put = await world.put('/contents/new', { ...hello, ...nothing, sha: null });
  expect([put.status, put.json.commit.author.name]).toEqual([201, put.json.commit.committer.name]);
  const unnamed = await world.put('/contents/taken', { ...hello, ...nothing, sha: null });
  expect([unnamed.status, unnamed.json.message]).toEqual([422, 'Invalid request.\n\n"sha" wasn\'t supplied.']);
  const { sha } = (await world.get('/contents/taken', { accept: 'application/json' })).json;
  expect((await world.remove('/contents/taken', { message: 'm', sha, ...nothing })).status).toBe(200);
});
