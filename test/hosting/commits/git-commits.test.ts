import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { encodeCommit } from '../../../src/git/commit.ts';
import { hashObject } from '../../../src/git/object.ts';
import { insertCredential, type NewCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { juniper, linh, tomas, wren } = demo.users;
const bearer = (token: string): string => `Bearer ${token}`;
const path = '/repos/harbor-lab/compass/git/commits';
const head = await headOf('harbor-lab/compass');
const first = (await call(gateway, 'GET', `${path}/${head}`)).json;
const tree = first.tree.sha as string;
const docs = '/rest/git/commits#create-a-commit';

async function headOf(repository: string, ref = 'refs/heads/main'): Promise<string> {
  const [owner, name] = repository.split('/');
  const { rows } = await sql<{ oid: string }>`
    select encode(g.oid, 'hex') as oid from git_ref g join repository r on r.id = g.repository_id
    join account o on o.id = r.owner_id where o.login = ${owner} and r.name = ${name} and g.name = ${ref}`.execute(
    gateway.database.sql,
  );
  return rows[0]?.oid ?? '';
}

const post = (body: unknown, authorization: string | undefined = bearer(wren.classic_token), at = path) =>
  call(gateway, 'POST', at, authorization, body);

const aPerson = { name: 'A U Thor', email: 'author@example.org', date: '2026-02-03T04:05:06+02:00' };

describe('creating a commit', () => {
  test('every input, byte for byte', async () => {
    const message = 'Grüße\n\nto all of you\n\n';
    const committer = { name: 'C O Mitter', email: 'committer@example.org', date: '2026-02-03T05:00:00-0330' };
    const { status, json, headers } = await post({ message, tree, parents: [head], author: aPerson, committer });
    expect(status).toBe(201);
    const oid = hashObject(
      'commit',
      encodeCommit({
        tree,
        parents: [head],
        author: { name: aPerson.name, email: aPerson.email, seconds: 1770084306, zone: '+0200' },
        committer: { name: committer.name, email: committer.email, seconds: 1770107400, zone: '-0330' },
        message,
      }),
    );
    const api = `${gateway.url}/repos/harbor-lab/compass/git`;
    const web = `${gateway.url}/harbor-lab/compass`;
    expect(JSON.stringify(json)).toBe(
      JSON.stringify({
        sha: oid,
        node_id: json.node_id,
        url: `${api}/commits/${oid}`,
        html_url: `${web}/commit/${oid}`,
        author: { name: 'A U Thor', email: 'author@example.org', date: '2026-02-03T02:05:06Z' },
        committer: { name: 'C O Mitter', email: 'committer@example.org', date: '2026-02-03T08:30:00Z' },
        tree: { sha: tree, url: `${api}/trees/${tree}` },
        message: 'Grüße\n\nto all of you',
        parents: [{ sha: head, url: `${api}/commits/${head}`, html_url: `${web}/commit/${head}` }],
        verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
      }),
    );
    expect(headers.get('location')).toBe(`${api}/commits/${oid}`);
    const again = await call(gateway, 'GET', `${path}/${oid}`);
    expect(again.json).toEqual(json);
    expect(again.headers.get('last-modified')).toBe('Tue, 03 Feb 2026 08:30:00 GMT');
    expect(await headOf('harbor-lab/compass')).toBe(head);
    // The same input gives the same commit, again with 201.
    const same = await post({ message, tree, parents: [head], author: aPerson, committer });
    expect({ status: same.status, sha: same.json.sha }).toEqual({ status: 201, sha: oid });
  });

  test('the author is the caller, now; the committer is the author', async () => {
    const own = (await post({ message: 'mine', tree })).json;
    const { id } = (await call(gateway, 'GET', '/users/wren')).json;
    const email = `${id}+wren@users.noreply.127.0.0.1`;
    expect(own.author).toEqual({ name: 'Wren Achterberg', email, date: '2026-10-01T08:10:00Z' });
    expect(own.committer).toEqual(own.author);
    expect(own.parents).toEqual([]);
    const given = (await post({ message: 'theirs', tree, author: aPerson })).json;
    expect(given.committer).toEqual({ name: 'A U Thor', email: 'author@example.org', date: '2026-02-03T02:05:06Z' });
    const half = (await post({ message: 'half', tree, author: aPerson, committer: { name: 'Only a name' } })).json;
    expect(half.committer).toEqual({ name: 'Only a name', email: 'author@example.org', date: '2026-10-01T08:10:00Z' });
  });

  test('the time zone header applies to an absent date', async () => {
    const send = async (zone: string) => {
      const { json } = await gateway.request(path, {
        method: 'POST',
        headers: {
          'user-agent': 'tests',
          'content-type': 'application/json',
          authorization: bearer(wren.classic_token),
          'time-zone': zone,
        },
        body: JSON.stringify({ message: `in ${zone}`, tree }),
      });
      const { z } = (
        await sql<{
          z: string;
        }>`select encode(z, 'base64') as z from git_object where oid = ${Buffer.from(json.sha, 'hex')}`.execute(
          gateway.database.sql,
        )
      ).rows[0] as { z: string };
      const { inflateSync } = await import('node:zlib');
      return inflateSync(Buffer.from(z, 'base64'))
        .toString()
        .match(/author .* (\S+)\n/)?.[1];
    };
    expect(await send('Asia/Kolkata')).toBe('+0530');
    expect(await send('Nowhere/AtAll')).toBe('+0000');
  });

  test('a merge has several parents', async () => {
    const { json } = await post({ message: 'old', tree, parents: [head, first.parents[0].sha] });
    expect(json.parents.map((one: { sha: string }) => one.sha)).toEqual([head, first.parents[0].sha]);
  });

  const absent = 'ab'.repeat(20);
  const shape = (line: string) => `Invalid request.\n\n${line}`;
  const sha40 = 'must be exactly 40 characters and contain only [0-9a-f].';
  test.each([
    ['no message', { tree }, shape('"message" wasn\'t supplied.')],
    ['no tree', { message: 'm' }, shape('"tree" wasn\'t supplied.')],
    ['message null', { message: null, tree }, shape("For 'properties/message', nil is not a string.")],
    ['a tree that is no id', { message: 'm', tree: 'main' }, `The tree parameter ${sha40}`],
    ['a tree in capitals', { message: 'm', tree: tree.toUpperCase() }, `The tree parameter ${sha40}`],
    ['a tree that is not there', { message: 'm', tree: absent }, 'Tree SHA does not exist'],
    ['a tree that is a commit', { message: 'm', tree: head }, 'Tree SHA is not a tree object'],
    ['a parent that is no id', { message: 'm', tree, parents: ['x'] }, `Each SHA in the 'parents' parameter ${sha40}`],
    [
      'a parent that is not there',
      { message: 'm', tree, parents: [head, absent] },
      'Parent SHA does not exist or is not a commit object',
    ],
    [
      'a parent that is a tree',
      { message: 'm', tree, parents: [tree] },
      'Parent SHA does not exist or is not a commit object',
    ],
    ['author null', { message: 'm', tree, author: null }, shape("For 'properties/author', nil is not an object.")],
    ['an author without an address', { message: 'm', tree, author: { name: 'x' } }, shape('"email" wasn\'t supplied.')],
    [
      'a day that does not exist',
      { message: 'm', tree, author: { ...aPerson, date: '2020-13-40' } },
      shape('2020-13-40 is not a valid date-time.'),
    ],
    [
      'a date without a zone',
      { message: 'm', tree, committer: { date: '2020-01-01T00:00:00' } },
      shape('2020-01-01T00:00:00 is not a valid date-time.'),
    ],
    [
      'a date before 1970, which git cannot store',
      { message: 'm', tree, author: { ...aPerson, date: '1969-12-31T23:59:59Z' } },
      shape('1969-12-31T23:59:59Z is before 1970-01-01T00:00:00Z; git cannot store it.'),
    ],
  ])('%s is 422', async (_name, body, message) => {
    const { status, json } = await post(body);
    expect({ status, ...json }).toEqual({
      status: '422',
      message,
      documentation_url: expect.stringContaining(docs),
    });
  });

  test('half a megabyte of spaces or line feeds takes no time', async () => {
    const many = 500_000;
    const name = `x${' '.repeat(many)}x`;
    const author = { ...aPerson, name };
    const begun = performance.now();
    expect((await post({ message: 'm', tree, author })).json.author.name).toBe(name);
    const message = `x${'\n'.repeat(many)}x`;
    expect((await post({ message: `${message}\n\n`, tree })).json.message).toBe(message);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test('an empty email address is reported by its field', async () => {
    const { status, json } = await post({ message: 'm', tree, author: { name: 'x', email: ' <> ' } });
    expect(status).toBe(422);
    expect(json).toMatchObject({
      message: 'Validation Failed',
      errors: [{ resource: 'author', code: 'missing_field', field: 'email' }],
    });
  });
});

describe('permissions', () => {
  const body = { message: 'm', tree };
  const token = async (one: NewCredential): Promise<string> =>
    bearer((await inTransaction(gateway.database, db => insertCredential(db, one, gateway.clock.now))).token);

  test.each([
    ['nobody', undefined, 403, 'Requires authentication'],
    [
      'a token that may only read',
      bearer(tomas.fine_grained_token),
      403,
      'Resource not accessible by personal access token',
    ],
    ['somebody who may only read', bearer(linh.classic_token), 403, 'Must have push access to Repository.'],
  ])('%s', async (_name, authorization, status, message) => {
    const answer = await call(gateway, 'POST', path, authorization, body);
    expect({ status: answer.status, message: answer.json.message }).toEqual({ status, message });
  });

  test('a foreign private repository is 404 for reads and writes', async () => {
    const ledger = '/repos/harbor-lab/ledger/git/commits';
    const secret = await headOf('harbor-lab/ledger');
    expect((await call(gateway, 'GET', `${ledger}/${secret}`)).status).toBe(404);
    expect((await call(gateway, 'GET', `${ledger}/${secret}`, bearer(linh.classic_token))).status).toBe(404);
    expect((await call(gateway, 'GET', `${ledger}/${secret}`, bearer(juniper.classic_token))).status).toBe(200);
    expect((await post(body, bearer(linh.classic_token), ledger)).status).toBe(404);
    // A commit of one repository is not visible in another.
    expect((await call(gateway, 'GET', `${path}/${secret}`)).status).toBe(404);
  });

  test('an archived repository refuses writes', async () => {
    const answer = await post(body, bearer(linh.classic_token), '/repos/linh/attic/git/commits');
    expect({ status: answer.status, message: answer.json.message }).toEqual({
      status: 403,
      message: 'Repository was archived so is read-only.',
    });
  });

  test('an app commits as a bot', async () => {
    const { app } = demo;
    const authorization = await token({
      kind: 'installation',
      permissions: { contents: 'write' },
      appId: app.id,
      installationId: app.installation_id ?? 0,
    });
    const { status, json } = await post(body, authorization);
    expect(status).toBe(201);
    expect(json.author).toMatchObject({
      name: 'harbor-pilot[bot]',
      email: expect.stringMatching(/^\d+\+harbor-pilot\[bot\]@users\.noreply\.127\.0\.0\.1$/),
    });
  });
});

describe('reading a commit', () => {
  test.each([
    ['an id that nothing has', 'ab'.repeat(20)],
    ['the beginning of an id', head.slice(0, 10)],
    ['a tree', tree],
    ['a branch', 'main'],
    ['several parts', `${head}/x`],
  ])('%s is 404', async (_name, sha) => {
    const { status, json } = await call(gateway, 'GET', `${path}/${sha}`);
    expect({ status, message: json.message }).toEqual({ status: 404, message: 'Not Found' });
  });

  test('a repository without commits is 409 for reads and writes', async () => {
    const make = 'mutation { createRepository(input: { name: "blank", visibility: PUBLIC }) { repository { id } } }';
    const made = await graphql(gateway, make, juniper.classic_token);
    expect(made.errors).toBeUndefined();
    const at = '/repos/juniper/blank/git/commits';
    for (const answer of [
      await call(gateway, 'GET', `${at}/${head}`),
      await post({ message: 'm', tree }, bearer(juniper.classic_token), at),
    ]) {
      expect({ status: answer.status, message: answer.json.message }).toEqual({
        status: 409,
        message: 'Git Repository is empty.',
      });
    }
  });

  test('takes at most two statements: the repository, and uncached objects', async () => {
    const statements = await gateway.statements(() => call(gateway, 'GET', `${path}/${first.parents[0].sha}`));
    expect(statements.length).toBeLessThanOrEqual(2);
    const again = await gateway.statements(() => call(gateway, 'GET', `${path}/${first.parents[0].sha}`));
    expect(again).toHaveLength(1);
  });
});
