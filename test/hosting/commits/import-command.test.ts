import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { importRepositoryCommand } from '../../../src/hosting/repositories/repositories.commands.ts';
import { folder, SystemGit } from '../../git/worlds.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren } = (await demoOf(gateway)).users;
const bearer = `Bearer ${wren.classic_token}`;
const program = join(import.meta.dirname, '..', '..', '..', 'scripts', 'portico.ts');

const portico = (...args: string[]) =>
  promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder(),
    // biome-ignore lint/style/noProcessEnv: a child needs the path of this process, and the database of this test.
    env: { PATH: process.env.PATH, DATABASE_URL: gateway.databaseUrl },
  });

/** A repository of the system's git with two branches, a merge and a tag. */
function repository(): SystemGit {
  const git = SystemGit.create();
  const commit = (path: string, text: string): void => {
    const file = join(git.path, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    git.run('add', '-A');
    git.run('commit', '-q', '-m', `Write ${path}`);
  };
  commit('README.md', '# Real\n');
  git.run('checkout', '-q', '-b', 'side/one');
  commit('a/b/c/deep.txt', 'deep\n');
  git.run('checkout', '-q', 'main');
  commit('näme', 'bytes \0\n');
  git.run('merge', '-q', '--no-ff', '-m', 'Bring the side in', 'side/one');
  git.run('tag', '-a', 'v1', '-m', 'First');
  return git;
}

test('the command line imports a repository of the system’s git with the same ids', async () => {
  const git = repository();
  await expect(portico('repos', 'import', git.path, '--to', 'wren/real')).rejects.toMatchObject({
    code: 1,
    stderr: 'There is no repository wren/real. With --create it is made.\n',
  });
  const { stdout } = await portico('repos', 'import', git.path, '--to', 'wren/real', '--create', '--private');
  const objects = git.lines('rev-list', '--objects', '--all').length;
  expect(stdout).toBe(`${objects} objects and 3 refs are in wren/real.\n`);
  const { data } = await graphql(
    gateway,
    `{ repository(owner: "wren", name: "real") {
      refs(refPrefix: "refs/heads/") { nodes { name target { oid } } }
      object(expression: "v1^{commit}") { ... on Commit { history { nodes { oid tree { oid } parents { nodes { oid } } } } } } } }`,
    wren.classic_token,
  );
  const { refs, object } = data.repository;
  expect(refs.nodes).toEqual(['main', 'side/one'].map(name => ({ name, target: { oid: git.run('rev-parse', name) } })));
  expect(object.history.nodes).toEqual(
    git.lines('log', '--format=%H %T %P', 'main').map(line => {
      const [oid, tree, ...parents] = line.trim().split(' ');
      return { oid, tree: { oid: tree }, parents: { nodes: parents.map(parent => ({ oid: parent })) } };
    }),
  );
  const rest = await call(gateway, 'GET', `/repos/wren/real/git/commits/${git.run('rev-parse', 'main')}`, bearer);
  expect(rest.json).toMatchObject({ message: 'Bring the side in', author: { name: 'A U Thor' } });
  // It is private, as requested, and a second run imports new commits.
  expect((await call(gateway, 'GET', `/repos/wren/real`)).status).toBe(404);
  expect((await call(gateway, 'GET', `/repos/wren/real`, bearer)).json).toMatchObject({
    default_branch: 'main',
    private: true,
    pushed_at: expect.any(String),
  });
  git.run('commit', '-q', '--allow-empty', '-m', 'One more');
  await portico('repos', 'import', git.path, '--to', 'WREN/Real');
  const again = await call(gateway, 'GET', `/repos/wren/real/git/commits/${git.run('rev-parse', 'main')}`, bearer);
  expect(again.json.message).toBe('One more');
}, 120_000);

test('progress and errors are printed', async () => {
  const told: string[] = [];
  const lines: string[] = [];
  const around = {
    database: gateway.database,
    now: () => gateway.clock.now,
    write: (line: string) => void lines.push(line),
    progress: (text: string) => void told.push(text),
  };
  const git = repository();
  await importRepositoryCommand({ path: git.path, to: 'wren/told', create: true, isPrivate: false }, around);
  const objects = git.lines('rev-list', '--objects', '--all').length;
  expect(told).toEqual([
    `${git.path}: counting objects`,
    `${git.path}: ${objects} of ${objects} objects`,
    `${git.path}: 4 commits indexed`,
    `${git.path}: 3 refs`,
    `${git.path}: 3 refs`,
    '',
  ]);
  const refused = (to: string, path = git.path) =>
    importRepositoryCommand({ path, to, create: true, isPrivate: false }, around);
  await expect(refused('wren')).rejects.toThrow('«wren» is no repository');
  await expect(refused('nobody-here/x')).rejects.toThrow('There is no account nobody-here.');
  await expect(refused('wren/x', folder())).rejects.toThrow(/repository/);
});
