import { expect, test } from '@jest/globals';
import { App, Octokit } from 'octokit';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { quiet } from '../harness/octokit.ts';

const gateway = await clientGateway();
gateway.usedBy('octokit', packageVersion('octokit'));
const demo = await demoOf(gateway);
const app = new App({
  appId: demo.app.id ?? 0,
  privateKey: demo.app.private_key,
  Octokit: Octokit.defaults({ baseUrl: `${gateway.url}/api/v3`, log: quiet }),
  log: quiet,
});

test('App.eachInstallation and eachRepository visit what the app is installed on', async () => {
  const installations: number[] = [];
  await app.eachInstallation(({ installation }) => {
    installations.push(installation.id);
  });
  expect(installations).toEqual([demo.app.installation_id]);
  const repositories: string[] = [];
  await app.eachRepository(({ repository }) => {
    repositories.push(repository.full_name);
  });
  expect(repositories.toSorted()).toEqual(expect.arrayContaining(['harbor-lab/compass']));
});

test('an installation commits, and its commit is verified', async () => {
  const octokit = await app.getInstallationOctokit(demo.app.installation_id ?? 0);
  const at = { owner: 'harbor-lab', repo: 'compass' };
  const { data } = await octokit.rest.repos.createOrUpdateFileContents({
    ...at,
    path: 'from-the-app.txt',
    message: 'From the app',
    content: Buffer.from('hello\n').toString('base64'),
  });
  const commit = await octokit.rest.repos.getCommit({ ...at, ref: data.commit.sha ?? '' });
  expect(commit.data.commit.verification).toMatchObject({ verified: true, reason: 'valid' });
});

test('pages of a list are followed', async () => {
  const octokit = new Octokit({
    auth: demo.users.wren.classic_token,
    baseUrl: `${gateway.url}/api/v3`,
    log: quiet,
  });
  const all = await octokit.paginate(octokit.rest.repos.listCommits, {
    owner: 'harbor-lab',
    repo: 'compass',
    per_page: 1,
  });
  expect(all.length).toBeGreaterThan(2);
  expect(new Set(all.map(one => one.sha)).size).toBe(all.length);
});
