import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const script = join(import.meta.dirname, '../../scripts/release.ts');
let folder: string;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

function commit(message: string): void {
  git('add', '--all');
  git('commit', '--quiet', '-m', message);
}

async function release(...args: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { cwd: folder });
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, output: stderr };
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-release-'));
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'A Maintainer');
  git('config', 'user.email', 'maintainer@example.org');
  git('config', 'commit.gpgsign', 'false');
  git('config', 'tag.gpgsign', 'false');
  const lock = {
    name: 'sample',
    version: '0.1.0',
    lockfileVersion: 3,
    packages: { '': { name: 'sample', version: '0.1.0' } },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name: 'sample', version: '0.1.0' }, null, 2)}\n`);
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-11-22\n\n- The first.\n',
  );
  mkdirSync(join(folder, 'schema'));
  writeFileSync(join(folder, 'schema/schema.graphql'), 'type Query { ref: String }\n');
  commit('start');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a minor release moves the unreleased entries, sets the version, keeps the schema, commits and tags', async () => {
  expect(await release('minor', '2027-01-15')).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toContain(
    '## [Unreleased]\n\n## [0.2.0] - 2027-01-15\n\n### Added\n\n- A thing.\n\n## [0.1.0]',
  );
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({ version: '0.2.0' });
  expect(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))).toMatchObject({ version: '0.2.0' });
  expect(readFileSync(join(folder, 'schema/released.graphql'), 'utf8')).toBe('type Query { ref: String }\n');
  expect(git('log', '-1', '--format=%s')).toBe('release: v0.2.0');
  expect(git('describe', '--tags', '--exact-match')).toBe('v0.2.0');
  expect(git('status', '--porcelain')).toBe('');
});

test('a changed working tree, an empty section, an existing tag and a wrong version are refused and change nothing', async () => {
  const before = git('rev-parse', 'HEAD');
  expect(await release('next')).toMatchObject({ code: 1, output: expect.stringContaining('Usage') });
  expect(await release('patch', 'today')).toMatchObject({ code: 1, output: expect.stringContaining('not a date') });
  git('tag', 'v0.1.1');
  expect(await release('patch')).toMatchObject({ code: 1, output: expect.stringContaining('The tag v0.1.1 exists') });
  expect(git('status', '--porcelain')).toBe('');
  writeFileSync(join(folder, 'other.txt'), 'x');
  expect(await release('minor')).toMatchObject({ code: 1, output: expect.stringContaining('working tree') });
  rmSync(join(folder, 'other.txt'));
  expect(git('rev-parse', 'HEAD')).toBe(before);
  await release('minor', '2027-01-15');
  expect(await release('minor')).toMatchObject({ code: 1, output: expect.stringContaining('nothing to release') });
});
