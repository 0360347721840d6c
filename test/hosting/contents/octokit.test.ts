import { expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { clientGateway, packageVersion } from '../../harness/client-gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { quiet } from '../../harness/octokit.ts';
import { base64, newWorld } from './world.ts';

const gateway = await clientGateway();
gateway.usedBy('@octokit/rest', packageVersion('@octokit/rest'));
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const { repos } = new Octokit({
  baseUrl: `${gateway.url}/api/v3`,
  userAgent: 'portico tests',
  log: quiet,
  auth: token,
  request: { log: quiet },
}).rest;

test('the life of a file, through the published client', async () => {
  const { owner, name: repo } = await newWorld(gateway, token, { isPrivate: true });
  const path = 'docs/README.md';
  const made = await repos.createOrUpdateFileContents({ owner, repo, path, message: 'New', content: base64('# Hi\n') });
  expect(made.status).toBe(201);
  const { data: file } = await repos.getContent({ owner, repo, path });
  if (Array.isArray(file) || file.type !== 'file') throw new Error('This is no file.');
  expect(Buffer.from(file.content, 'base64').toString()).toBe('# Hi\n');
  expect(file.url).toBe(`${gateway.url}/api/v3/repos/${owner}/${repo}/contents/docs/README.md?ref=main`);
  const { data: list } = await repos.getContent({ owner, repo, path: 'docs' });
  expect(Array.isArray(list) && list.map(one => one.name)).toEqual(['README.md']);
  const raw = await repos.getContent({ owner, repo, path, mediaType: { format: 'raw' } });
  expect(raw.data).toBe('# Hi\n');
  expect((await repos.getReadme({ owner, repo })).data.path).toBe(path);
  expect((await repos.getReadmeInDirectory({ owner, repo, dir: 'docs' })).data.sha).toBe(file.sha);
  const changed = await repos.createOrUpdateFileContents({
    ...{ owner, repo, path, message: 'Again', content: base64('# Ho\n'), sha: file.sha, branch: 'main' },
    committer: { name: 'Ada', email: 'ada@example.org' },
  });
  expect([changed.status, changed.data.commit.author?.name]).toEqual([200, 'Ada']);
  const tarball = await repos.downloadTarballArchive({ owner, repo, ref: 'main' });
  expect(Buffer.from(tarball.data as ArrayBuffer).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  const zipball = await repos.downloadZipballArchive({ owner, repo, ref: 'main' });
  expect(Buffer.from(zipball.data as ArrayBuffer).toString('latin1', 0, 2)).toBe('PK');
  const sha = changed.data.content?.sha ?? '';
  const gone = await repos.deleteFile({ owner, repo, path, message: 'Gone', sha });
  expect([gone.status, gone.data.content]).toEqual([200, null]);
  const error = await repos.getContent({ owner, repo, path }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 404 });
});
