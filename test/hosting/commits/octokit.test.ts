import { expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { clientGateway, packageVersion } from '../../harness/client-gateway.ts';
import { demoOf, graphql } from '../../harness/hosting.ts';
import { quiet } from '../../harness/octokit.ts';

const gateway = await clientGateway();
gateway.usedBy('@octokit/rest', packageVersion('@octokit/rest'));
const { wren, tomas } = (await demoOf(gateway)).users;
const client = (auth?: string): Octokit =>
  new Octokit({
    baseUrl: `${gateway.url}/api/v3`,
    userAgent: 'portico tests',
    log: quiet,
    ...(auth ? { auth } : {}),
  });
const compass = { owner: 'harbor-lab', repo: 'compass' };

test('git.createCommit and git.getCommit', async () => {
  const { data: found } = await graphql(
    gateway,
    '{ repository(owner: "harbor-lab", name: "compass") { object(expression: "HEAD") { oid ... on Commit { tree { oid } } } } }',
  );
  const { oid: parent, tree } = found.repository.object;
  const made = await client(wren.classic_token).rest.git.createCommit({
    ...compass,
    message: 'By a client\n',
    tree: tree.oid,
    parents: [parent],
    author: { name: 'A U Thor', email: 'author@example.org', date: '2026-02-03T04:05:06+02:00' },
  });
  expect(made.status).toBe(201);
  expect(made.headers.location).toBe(made.data.url);
  // Requests below /api/v3 get URLs below it.
  expect(made.data.url).toBe(`${gateway.url}/api/v3/repos/harbor-lab/compass/git/commits/${made.data.sha}`);
  const read = await client().rest.git.getCommit({ ...compass, commit_sha: made.data.sha });
  expect(read.data).toEqual(made.data);
  expect(read.data.message).toBe('By a client');
  expect(read.data.verification.reason).toBe('unsigned');
  const asked = await client()
    .request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
      ...compass,
      commit_sha: made.data.sha,
      headers: { 'if-none-match': read.headers.etag ?? '' },
    })
    .catch(error => error);
  expect(asked.status).toBe(304);
});

test('a read-only token is refused, a missing commit is 404', async () => {
  const writing = client(tomas.fine_grained_token).rest.git.createCommit({ ...compass, message: 'm', tree: 'x' });
  await expect(writing).rejects.toMatchObject({ status: 403 });
  const reading = client().rest.git.getCommit({ ...compass, commit_sha: 'ab'.repeat(20) });
  await expect(reading).rejects.toMatchObject({ status: 404, message: expect.stringContaining('Not Found') });
});
