import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { clientGateway } from '../harness/client-gateway.ts';
import { type Gh, type GhAnswer, ghHost, ghInFrontOf, ghVersion, hasGh } from '../harness/gh.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';

// TLS in front of it, as `gh` insists.
const gateway = await clientGateway({ BASE_URL: `https://${ghHost}`, TRUST_PROXY: '1' });
if (hasGh) gateway.usedBy('gh with git', ghVersion());
const token = (await demoOf(gateway)).users.wren.classic_token;
const gh = hasGh ? await ghInFrontOf(gateway) : undefined;
const suite = hasGh ? describe : describe.skip;

suite('one repository with gh, git and Octokit', () => {
  const client = gh as Gh;
  const succeed = async (answer: Promise<GhAnswer>): Promise<string> => {
    const { code, stdout, stderr } = await answer;
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.trim();
  };

  test('each sees at once what the others have written', async () => {
    const world = await newWorld(gateway, token, { isPrivate: true });
    const { owner, name: repo } = world;
    const octokit = new Octokit({ auth: token, baseUrl: gateway.url, userAgent: 'portico tests' });
    const file = { owner, repo, path: 'a.txt', message: 'By Octokit', content: 'b25lCg==' };
    const { data: written } = await octokit.rest.repos.createOrUpdateFileContents(file);

    // gh clones with its own credential, and makes itself the credential helper of git.
    await succeed(client.run(['repo', 'clone', `${owner}/${repo}`, 'first'], { token }));
    await succeed(client.run(['auth', 'setup-git', '--hostname', ghHost], { token }));
    const cwd = join(client.folder, 'second');
    mkdirSync(cwd);
    const git = (...args: string[]): Promise<string> =>
      succeed(client.git(['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { token, cwd }));
    const { data: shown } = await octokit.rest.repos.get({ owner, repo });
    await git('clone', '-q', shown.clone_url, '.');
    expect(await git('rev-parse', 'HEAD')).toBe(written.commit.sha);
    expect(readFileSync(join(client.folder, 'first', 'a.txt'), 'utf8')).toBe('one\n');

    writeFileSync(join(cwd, 'b.txt'), 'two\n');
    await git('add', 'b.txt');
    await git('commit', '-q', '-m', 'By git');
    await git('tag', 'v1');
    await git('push', '-q', 'origin', 'HEAD', 'v1');
    const head = await git('rev-parse', 'HEAD');
    const { data: contents } = await octokit.rest.repos.getContent({ owner, repo, path: 'b.txt', ref: 'v1' });
    expect(contents).toMatchObject({ sha: await git('rev-parse', 'HEAD:b.txt') });
    const oid = [
      'api',
      'graphql',
      '-f',
      `query={ repository(owner: "${owner}", name: "${repo}") { object(expression: "v1") { oid } } }`,
    ];
    expect(JSON.parse(await succeed(client.run(oid, { token }))).data.repository.object.oid).toBe(head);

    const { data: second } = await octokit.rest.repos.createOrUpdateFileContents({ ...file, path: 'c.txt' });
    await git('pull', '-q');
    expect(await git('rev-parse', 'HEAD')).toBe(second.commit.sha);
    // Without the helper's token git may not see the repository.
    const { code, stderr } = await client.git(['ls-remote', shown.clone_url], { cwd });
    expect({ code, stderr }).toMatchObject({
      code: 128,
      stderr: expect.stringMatching(/could not read|Authentication/),
    });
  }, 60_000);
});
