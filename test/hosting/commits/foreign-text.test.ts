import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { formatCommit } from '../../../src/git/archives/commit-format.ts';
import { parseCommit } from '../../../src/git/commit.ts';
import { formatMailDate } from '../../../src/git/mail-header.ts';
import { IdentityRewriter, parseIdentity } from '../../../src/git/rewrite-identities.ts';
import { commitMessage, zonedTime } from '../../../src/hosting/commits/git-commit.ts';
import { SystemGit } from '../../git/worlds.ts';

const git = SystemGit.create();
const tree = git.bytes(['mktree'], { input: '' }).toString().trim();

interface Parts {
  name?: string;
  message?: string;
  encoding?: string;
  time?: string;
}

/** A commit whose texts are stored in an encoding: bytes that `iconv` makes. */
function commitOf({ name = 'A', message = 'x', encoding, time = '1112911993 +0200' }: Parts): {
  oid: string;
  content: Buffer;
} {
  const person = `${name} <a@example.org> ${time}`;
  const text = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n${encoding ? `encoding ${encoding}\n` : ''}\n${message}\n`;
  const content = encoding
    ? execFileSync('iconv', ['-f', 'UTF-8', '-t', encoding], { input: text })
    : Buffer.from(text);
  const args = ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'];
  return { oid: git.bytes(args, { input: content }).toString().trim(), content };
}

const logOf = (oid: string, format: string): string => git.bytes(['log', '-1', `--format=${format}`, oid]).toString();
const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString();

describe.each([
  ['ISO-8859-1', 'Jörg Müller', 'Größe'],
  ['ISO-8859-2', 'Łukasz Żak', 'Źródło'],
  ['KOI8-R', 'Иван Петров', 'Привет'],
  ['CP1251', 'Иван Петров', 'Привет'],
  ['EUC-JP', '濱野 純', '日本語'],
  ['SHIFT_JIS', '濱野 純', '日本語'],
  ['GBK', '张三', '你好'],
])('a commit in %s', (encoding, name, message) => {
  const { oid, content } = commitOf({ encoding, name, message });
  const commit = parseCommit(content, oid);

  test('has the names and the message that git shows', () => {
    expect([commit.author.name, commit.committer.name, commitMessage(commit)]).toEqual([name, name, message]);
    expect(logOf(oid, '%an|%cn|%s')).toBe(`${name}|${name}|${message}\n`);
    expect(utf8(formatCommit('%an|%cn|%s', oid, commit, 1_000))).toBe(`${name}|${name}|${message}`);
  });

  test('becomes UTF-8 where a person is mapped', () => {
    const author = content.subarray(content.indexOf('\nauthor ') + 8, content.indexOf('\ncommitter '));
    const key = parseIdentity(author, encoding)?.key ?? '';
    expect(key).toBe(`${name} <a@example.org>`);
    const rewriter = new IdentityRewriter(new Map([[key, { name: 'Ünï', email: 'u@example.org' }]]));
    const made = rewriter.rewrite({ type: 'commit', oid, content });
    const text = made?.content.toString() ?? '';
    expect(text).not.toContain('encoding');
    expect(text.endsWith(`\n\n${message}\n`)).toBe(true);
    const stored = git.bytes(['hash-object', '-t', 'commit', '-w', '--stdin'], { input: made?.content ?? '' });
    expect(logOf(stored.toString().trim(), '%an|%cn|%s')).toBe(`Ünï|Ünï|${message}\n`);
  });

  test('keeps its bytes where only a parent changes', () => {
    const parent = commitOf({ name: 'Old' });
    const child = Buffer.concat([content.subarray(0, 46), Buffer.from(`parent ${parent.oid}\n`), content.subarray(46)]);
    const rewriter = new IdentityRewriter(new Map([['Old <a@example.org>', { name: 'New', email: 'n@example.org' }]]));
    const first = rewriter.rewrite({ type: 'commit', oid: parent.oid, content: parent.content });
    const second = rewriter.rewrite({ type: 'commit', oid: '1'.repeat(40), content: child });
    const expected = Buffer.from(child.toString('latin1').replace(parent.oid, first?.oid ?? ''), 'latin1');
    expect(second?.content.equals(expected)).toBe(true);
  });
});

describe.each(['+0200', '-0700', '+051800', '-7', '+0530', '+1400', '-1200', '+0000', '-0000', '+99', '+0061'])(
  'a time in the zone %s',
  zone => {
    const { oid, content } = commitOf({ time: `1112911993 ${zone}` });
    const { author } = parseCommit(content, oid);

    test('is that of git', () => {
      const [seconds = '', mail = '', iso = ''] = logOf(oid, '%at%n%aD%n%ai').split('\n');
      expect(`${author.seconds}`).toBe(seconds);
      expect(new Date(zonedTime(author)).getTime()).toBe(1112911993_000);
      expect(formatMailDate(author)).toBe(mail);
      expect(formatCommit('%ai', oid, parseCommit(content, oid), 100)).toBe(iso);
    });
  },
);

test('a time without a zone, and one without a space before it, are times', () => {
  for (const time of ['1112911993', '1112911993 x', '1112911993 0200']) {
    const { oid, content } = commitOf({ time });
    expect(parseCommit(content, oid).author).toMatchObject({ seconds: 1112911993, zone: '+0000' });
  }
  const { oid, content } = commitOf({});
  const tight = Buffer.from(content.toString('latin1').replaceAll('> ', '>'), 'latin1');
  expect(parseCommit(tight, oid).author).toMatchObject({ email: 'a@example.org', seconds: 1112911993, zone: '+0200' });
});
