import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Clone, remoteUrl, runGit } from '../../git-http/git-client.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, tomas } = (await demoOf(gateway)).users;
const world = await newWorld(gateway, wren.classic_token);
const git = await Clone.empty();
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}\n`).join('');

async function commit(message: string, ...args: string[]): Promise<string> {
  await git.run('add', '-A');
  await git.run('commit', '-q', '--allow-empty', '-m', message, ...args);
  return git.run('rev-parse', 'HEAD');
}

const write = (path: string, content: string | Buffer) => writeFileSync(join(git.path, path), content);
mkdirSync(join(git.path, 'a-folder-with-a-long-name/and-another-one-below-it'), { recursive: true });
write('one.txt', lines(0, 60));
write('binary', Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * n) % 256)));
write('type', 'a file\n');
write('gone', 'gone\n');
write('mode', 'mode\n');
mkdirSync(join(git.path, 'old/deep'), { recursive: true });
write('old/moved.txt', `int main() {\n${lines(0, 40)}}\n`);
write('old/deep/same.txt', lines(100, 140));
write('top name', lines(200, 240));
const root = await commit('Root');
write('one.txt', `${lines(0, 30)}changed\n${lines(31, 55)}`);
write('binary', Buffer.from([0, 1, 2, 3]));
write('empty', '');
write('a-folder-with-a-long-name/and-another-one-below-it/a-file-with-a-name-too-long.txt', lines(0, 200));
write('tab\tand "quotes"', 'x');
write('köln.txt', 'without an end');
rmSync(join(git.path, 'gone'));
mkdirSync(join(git.path, 'new/deep'), { recursive: true });
rmSync(join(git.path, 'old'), { recursive: true });
rmSync(join(git.path, 'top name'));
write('new/moved.txt', `int main() {\n${lines(0, 20)}changed\n${lines(21, 40)}}\n`);
write('new/deep/same.txt', lines(100, 140));
write('below\tthe top', `${lines(200, 238)}x\n`);
chmodSync(join(git.path, 'below\tthe top'), 0o755);
rmSync(join(git.path, 'type'));
symlinkSync('one.txt', join(git.path, 'type'));
chmodSync(join(git.path, 'mode'), 0o755);
const second = await commit(
  'A subject that is so long that a mail has to fold it, because no line of a header is longer than that\nin two lines\n\nThe body.\n\n  Two paragraphs.',
  '--author=Ada "The" Countess, of L. <ada@example.org>',
  '--date=2026-03-01T23:30:00-0930',
);
write('one.txt', lines(5, 55));
const third = await commit(
  'Grüße aus Köln, mit einem Betreff, der länger ist als eine Zeile einer Nachricht es erlaubt\n\nSchöne Grüße',
  '--author=Jürgen Größer <j@example.org>',
);
write('latin1', Buffer.from('caf\xe9\n', 'latin1'));
const fourth = await commit('A text that is not UTF-8');
await git.run('checkout', '-q', '-b', 'side', root);
write('side.txt', 'side\n');
const side = await commit('Side');
await git.run('checkout', '-q', 'main');
await git.run('merge', '-q', '--no-ff', '-m', 'Merge side', 'side');
const merge = await git.run('rev-parse', 'HEAD');
await git.run('push', '-q', remoteUrl(gateway.url, `${world.owner}/${world.name}`, wren.classic_token), 'main');

const patchOf = (path: string) => world.get(path, { accept: 'application/vnd.host.patch' });
/** git may find a shorter binary patch. */
const comparable = (text: string) =>
  text.replace(/^index .*$/gm, 'index').replace(/^GIT binary patch\n[\s\S]*?\n\n[\s\S]*?\n\n/gm, 'binary\n');
const settings = ['-c', 'core.quotePath=false'];
const options = ['--stdout', '--no-signature'];
const format = async (...range: string[]) =>
  (await git.attempt(...settings, 'format-patch', ...options, ...range)).stdout;

test('mails as git format-patch writes them', async () => {
  for (const [path, range] of [
    [`/commits/${root}`, ['--root', root]],
    [`/commits/${second}`, [`${root}..${second}`]],
    [`/commits/${third}`, [`${second}..${third}`]],
    [`/commits/${merge}`, [`${merge}^..${merge}`]],
    [`/compare/${root}...${third}`, [`${root}..${third}`]],
  ] as const) {
    const { status, text, headers } = await patchOf(path);
    expect([path, status, headers.get('content-type')]).toEqual([
      path,
      200,
      'application/vnd.host.patch; charset=utf-8',
    ]);
    expect(comparable(text)).toBe(comparable(await format(...range)));
  }
  expect((await patchOf(`/commits/${merge}`)).text).toMatch(new RegExp(`^From ${side} `));
});

test('git am makes the same trees and authors of them', async () => {
  const { text } = await patchOf(`/compare/${root}...${fourth}`);
  const copy = await Clone.of(git.path);
  await copy.run('checkout', '-q', root);
  const { code, stderr } = await runGit(copy.path, ['am', '--keep-cr', '-q'], { input: text });
  expect([code, stderr]).toEqual([0, '']);
  const facts = ['log', '-3', '--format=%T %an <%ae> %ad %s%n%b'];
  expect(await copy.run(...facts)).toBe(await git.run(...facts, fourth));
});

test('the diff of a commit applies as well, but for binary files', async () => {
  const { text } = await world.get(`/commits/${second}`, { accept: 'application/vnd.host.diff' });
  expect(text).toContain('Binary files a/binary and b/binary differ\n');
  expect(text).toMatch(/deleted file mode 100644\n[^@]*a\/type\n\+\+\+ \/dev\/null\n@@ -1 \+0,0 @@\n-a file\ndiff/);
  expect(text).toContain('diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\ndiff');
});

test('changes beyond the limits are refused as text, and listed as JSON', async () => {
  const large = await world.commit({ 'large.txt': `${'x'.repeat(99)}\n`.repeat(50_000) }, { branch: 'large' });
  for (const form of ['diff', 'patch']) {
    const { status, json } = await world.get(`/commits/${large}`, { accept: `application/vnd.host.${form}` });
    expect([form, status, json.errors?.[0].code]).toEqual([form, 406, 'too_large']);
  }
  const [file, ...others] = (await world.get(`/commits/${large}`)).json.files;
  expect([file.additions, file.changes, 'patch' in file, others]).toEqual([50_000, 50_000, false, []]);
});

test('a subject beyond its limit is refused as text, a long message is not', async () => {
  const files = { 'small.txt': 'x\n' };
  const subject = await world.commit(files, { branch: 'subject', message: 'é'.repeat(17_000) });
  expect((await patchOf(`/commits/${subject}`)).status).toBe(406);
  const message = await world.commit(files, { branch: 'message', message: `Short\n\n${'a\n'.repeat(20_000)}` });
  expect((await patchOf(`/commits/${message}`)).status).toBe(200);
});

test('nothing of a private repository', async () => {
  const secret = await newWorld(gateway, wren.classic_token, { isPrivate: true });
  const oid = await secret.commit({ a: 'a' });
  const address = `/repos/${secret.owner}/${secret.name}/commits/${oid}`;
  const accept = { accept: 'application/vnd.host.patch' };
  expect((await call(gateway, 'GET', address, `Bearer ${tomas.classic_token}`, undefined, accept)).status).toBe(404);
});
