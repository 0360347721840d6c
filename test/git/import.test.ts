import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { listRefs } from '../../src/git/refs.ts';
import { type ImportProgress, importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { randomHistory } from './random-history.ts';
import { folder, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();

/** A repository of one commit with loose objects. */
function small(): { git: SystemGit; fileOf: (oid: string) => string } {
  const git = SystemGit.create();
  writeFileSync(join(git.path, 'a.txt'), 'content\n');
  git.run('add', '.');
  git.run('commit', '-q', '-m', 'First');
  return { git, fileOf: oid => join(git.path, '.git', 'objects', oid.slice(0, 2), oid.slice(2)) };
}

const attempt = (path: string, onProgress?: (progress: ImportProgress) => void) => {
  const repository = world.repository();
  return importRepository(world.context, { repositoryId: repository.id, path }, onProgress).then(report => ({
    repository,
    report,
  }));
};

test('reports progress, imported objects and skipped refs; a second run changes nothing', async () => {
  const git = randomHistory(60, 5);
  git.bytes(['update-ref', '--stdin'], { input: Buffer.from('create refs/heads/odd-\xff HEAD\n', 'latin1') });
  const told: ImportProgress[] = [];
  const { repository, report } = await attempt(git.path, progress => told.push(progress));
  const objects = git.lines('rev-list', '--objects', '--all').length;
  expect(report).toMatchObject({ objects, defaultBranch: 'main', skipped: [{ reason: 'its name is not UTF-8' }] });
  expect(told.at(0)?.stage).toBe('counting');
  expect(told.filter(one => one.stage === 'objects').at(-1)).toEqual({
    stage: 'objects',
    done: objects,
    total: objects,
  });
  expect(told.at(-1)).toEqual({ stage: 'refs', done: report.refs, total: report.refs });
  const again = await importRepository(world.context, { repositoryId: repository.id, path: git.path });
  expect(again).toEqual(report);
});

test('an empty repository, and a directory that is not a repository', async () => {
  expect((await attempt(SystemGit.create().path)).report).toEqual({
    objects: 0,
    refs: 0,
    defaultBranch: undefined,
    skipped: [],
    warnings: [],
  });
  await expect(attempt(folder())).rejects.toMatchObject({ code: 'not-a-repository' });
  await expect(attempt('/no/such/folder')).rejects.toMatchObject({ code: 'not-a-repository' });
  await expect(attempt(SystemGit.create('--object-format=sha256').path)).rejects.toMatchObject({
    code: 'not-a-repository',
  });
});

test('a repository with a missing or corrupt object is refused and leaves no ref', async () => {
  for (const spoil of [
    (file: string) => rmSync(file),
    (file: string) => {
      rmSync(file);
      writeFileSync(file, deflateSync(Buffer.from('blob 4\0evil')));
    },
    (file: string) => {
      rmSync(file);
      writeFileSync(file, 'no zlib');
    },
  ]) {
    const { git, fileOf } = small();
    spoil(fileOf(git.run('rev-parse', 'HEAD:a.txt')));
    const repository = world.repository();
    const importing = importRepository(world.context, { repositoryId: repository.id, path: git.path });
    await expect(importing).rejects.toMatchObject({ name: 'GitError' });
    expect(await listRefs(repository, { limit: 5 })).toEqual([]);
  }
});

test('configuration, hooks and replace refs of the repository are ignored', async () => {
  const { git } = small();
  const mark = join(folder(), 'mark');
  git.run('config', 'core.fsmonitor', `touch ${mark}`);
  git.run('config', 'core.alternateRefsCommand', `touch ${mark}`);
  git.run('config', 'core.pager', `touch ${mark}`);
  const head = git.run('rev-parse', 'HEAD');
  git.run('replace', '-f', head, git.run('commit-tree', 'HEAD^{tree}', '-m', 'Replaced'));
  const { repository } = await attempt(git.path);
  const [branch] = await listRefs(repository, { prefix: 'refs/heads/', limit: 5 });
  expect(branch?.oid).toBe(head);
  expect(readdirSync(join(mark, '..'))).toEqual([]);
});
