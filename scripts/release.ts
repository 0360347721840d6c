import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreleasedSection } from './changelog.ts';

/**
 * Makes a release of the repository in the working directory: `node scripts/release.ts <major|minor|patch|x.y.z> [yyyy-mm-dd]`.
 * The section "Unreleased" of CHANGELOG.md becomes the section of the version, package.json and package-lock.json get the version,
 * and one commit with the tag `v<version>` holds it. `schema/released.graphql` becomes a copy of the printed schema, with which
 * `test/graph/breaking-changes.test.ts` compares. Nothing is pushed.
 */
const root = process.cwd();
const [requested, day = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function stop(reason: string): never {
  console.error(reason);
  process.exit(1);
}

if (!requested || !/^(major|minor|patch|\d+\.\d+\.\d+)$/.test(requested)) {
  stop('Usage: npm run release -- <major|minor|patch|x.y.z> [yyyy-mm-dd]');
}
if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) stop(`${day} is not a date such as 2026-11-22.`);
if (git('status', '--porcelain') !== '') stop('The working tree has changes. Commit or stash them first.');

const path = join(root, 'CHANGELOG.md');
const changelog = readFileSync(path, 'utf8');
if (unreleasedSection(changelog) === '') {
  stop('CHANGELOG.md has nothing under "## [Unreleased]": there is nothing to release.');
}

// npm computes the version and writes both files; the commit and the tag are made here, with the changelog in them.
const version = execFileSync('npm', ['version', requested, '--no-git-tag-version'], { cwd: root, encoding: 'utf8' })
  .trim()
  .replace(/^v/, '');
if (git('tag', '--list', `v${version}`) !== '') {
  git('checkout', '--', 'package.json', 'package-lock.json');
  stop(`The tag v${version} exists.`);
}
writeFileSync(path, changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${day}\n`));
copyFileSync(join(root, 'schema/schema.graphql'), join(root, 'schema/released.graphql'));
git('add', 'CHANGELOG.md', 'package.json', 'package-lock.json', 'schema/released.graphql');
git('commit', '--quiet', '-m', `release: v${version}`);
git('tag', '--annotate', `v${version}`, '-m', `v${version}`);
console.log(`Committed and tagged v${version}. Publish it with: git push --follow-tags`);
