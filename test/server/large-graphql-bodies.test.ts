import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { answersIn, BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';

const gateway = await testGateway();
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const world = await newWorld(gateway, token);
await world.commit({ 'first.txt': 'x' });
const repository = { named: { owner: world.owner, name: world.name } };
const megabyte = 1024 * 1024;

const post = (query: string, variables: object, secret: string | undefined = token) =>
  call(gateway, 'POST', '/graphql', secret && `Bearer ${secret}`, { query, variables });
const createBlob = 'mutation($input: CreateBlobInput!) { createBlob(input: $input) { blob { byteSize } } }';

describe('a request that is larger than others may be', () => {
  test('stores a blob, whole or as a variable of its content', async () => {
    const content = 'é'.repeat(2 * megabyte);
    const whole = await post(createBlob, { input: { repository, content } });
    expect(whole.json).toMatchObject({ data: { createBlob: { blob: { byteSize: 4 * megabyte } } } });
    const query = `mutation($content: LongText!, $repository: RepositoryRef!) {
      createBlob(input: { repository: $repository, content: $content }) { blob { byteSize } } }`;
    const part = await post(query, { repository, content });
    expect(part.json).toMatchObject({ data: { createBlob: { blob: { byteSize: 4 * megabyte } } } });
  });

  test('stores a tree of many entries, as a variable of its own', async () => {
    const query = `mutation($entries: [GitTreeChange!]!, $repository: RepositoryRef!) {
      createTree(input: { repository: $repository, entries: $entries }) { tree { entries { name } } } }`;
    const entries = Array.from({ length: 6_000 }, (_, at) => ({
      path: `file-${at}`,
      content: `content of file ${at}`,
    }));
    const { json } = await post(query, { repository, entries });
    expect(json.errors).toBeUndefined();
    expect(json.data.createTree.tree.entries).toHaveLength(6_000);
  });

  test('makes a commit of large files', async () => {
    const query = `mutation($changes: FileChanges!, $branch: CommittableBranch!) { createCommitOnBranch(input: {
      branch: $branch, message: { headline: "Large" }, fileChanges: $changes }) { commit { oid } } }`;
    const contents = Buffer.alloc(2 * megabyte, 'x').toString('base64');
    const { json } = await post(query, {
      branch: { repositoryNameWithOwner: `${world.owner}/${world.name}`, branchName: 'main' },
      changes: { additions: ['a', 'b'].map(path => ({ path, contents })) },
    });
    expect(json.errors).toBeUndefined();
    expect((await world.get('/contents/b')).json.size).toBe(2 * megabyte);
  });

  test('may be chunked', async () => {
    const body = JSON.stringify({
      query: createBlob,
      variables: { input: { repository, content: 'x'.repeat(300_000) } },
    });
    const connection = await BareConnection.open(gateway.url);
    connection.send(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    connection.send(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(JSON.parse((await connection.answer()).body)).toMatchObject({
      data: { createBlob: { blob: { byteSize: 300_000 } } },
    });
    connection.destroy();
  });
});

describe('it is 413', () => {
  const content = 'x'.repeat(300_000);

  test('for a caller who may not write', async () => {
    const [wren] = await gateway.database.read(sql<{ id: number }>`select id from account where login = 'wren'`);
    const { token: readOnly } = await inTransaction(gateway.database, db =>
      insertCredential(db, { kind: 'classic', accountId: wren?.id ?? 0, scopes: ['read:org'] }, gateway.clock.now),
    );
    for (const one of [undefined, readOnly]) {
      const { status, json } = await post(createBlob, { input: { repository, content } }, one ?? '');
      expect([one, status, json.errors[0].message]).toEqual([one, 413, 'The request is larger than 262144 bytes.']);
    }
  });

  test.each([
    ['of another field', 'query($login: String!) { user(login: $login) { login } }', { login: content }],
    ['without variables', '{ viewer { login } }', { content }],
    ['of a large literal', `{ viewer { login } } # ${content}`, {}],
  ])('for an operation %s', async (_what, query, variables) => {
    const { status, json } = await post(query, variables);
    expect([status, json.errors[0].message]).toEqual([413, 'The request is larger than 262144 bytes.']);
  });

  const head = (bytes: number): string =>
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

  test('beyond the maximum of the fields, before the body is read', async () => {
    const connection = await BareConnection.open(gateway.url);
    connection.send(head(41 * megabyte));
    const { status, body } = await connection.answer();
    expect([status, JSON.parse(body).errors[0].message]).toEqual([413, 'The request is larger than 41943040 bytes.']);
    connection.destroy();
  });

  test('503 if the caller sends too many at a time', async () => {
    const open = await Promise.all([1, 2, 3, 4].map(() => BareConnection.open(gateway.url)));
    for (const one of open) one.send(`${head(megabyte)}{"query":"${'x'.repeat(300_000)}`);
    const last = await BareConnection.open(gateway.url);
    // The others may be admitted after the last one; then it is one of them that is refused.
    last.send(`${head(megabyte)}{"query":"${'x'.repeat(300_000)}`);
    const all = [...open, last];
    const refused = await Promise.race(all.map(one => one.answer()));
    expect([refused.status, JSON.parse(refused.body).errors[0].extensions.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.headers['retry-after']).toBeDefined();
    expect(all.filter(one => answersIn(one.received).length > 0)).toHaveLength(1);
    for (const one of all) one.destroy();
  });
});
