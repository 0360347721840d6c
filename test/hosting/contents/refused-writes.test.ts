import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { inRepository } from '../../harness/git-mutations.ts';
import { demoOf, graphql } from '../../harness/hosting.ts';
import { base64, newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
const hello = { message: 'Hello', content: base64('hello\n') };
const none = '0'.repeat(40);

test('over GraphQL, a blob id of a file that does not exist is refused', async () => {
  const world = await newWorld(gateway, token);
  const write = (path: string) => `mutation { createOrUpdateFile(input: { ${inRepository(world.owner, world.name)},
    path: "${path}", message: "m", content: "aGk=", blobOid: "${none}" }) { commit { oid } } }`;
  const inEmpty = await graphql(gateway, write('first'), token);
  expect([inEmpty.errors?.[0]?.message, inEmpty.errors?.[0]?.extensions.code]).toEqual([
    `first does not match ${none}`,
    'CONFLICT',
  ]);
  expect((await world.get('/contents')).json.message).toBe('This repository is empty.');
  await world.commit({ taken: 'x' });
  expect((await graphql(gateway, write('free'), token)).errors?.[0]?.extensions.code).toBe('CONFLICT');
  const remove = `mutation { deleteFile(input: { ${inRepository(world.owner, world.name)}, path: "free", message: "m",
    blobOid: "${none}" }) { commit { oid } } }`;
  expect((await graphql(gateway, remove, token)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  expect((await world.get('/contents/free')).status).toBe(404);
});

test.each(['author', 'committer'])('%s: null is no object', async field => {
  const world = await newWorld(gateway, token);
  await world.commit({ taken: 'x' });
  const { sha } = (await world.get('/contents/taken', { accept: 'application/json' })).json;
  const message = `Invalid request.\n\nFor 'properties/${field}', nil is not an object.`;
  for (const answer of [
    await world.put('/contents/new', { ...hello, [field]: null }),
    await world.remove('/contents/taken', { message: 'm', sha, [field]: null }),
  ])
    expect([answer.status, answer.json.message]).toEqual([422, message]);
  expect((await world.get('/contents/taken')).status).toBe(200);
});
