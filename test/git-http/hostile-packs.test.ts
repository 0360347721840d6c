import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { Clone, remoteUrl, runGit } from './git-client.ts';
import { commandLines, entry, oidOf, pack, sendPush } from './packs.ts';

const gateway = await testGateway();
const token = (await demoOf(gateway)).users.wren.classic_token;
let world: World;
let clone: Clone;
beforeAll(async () => {
  world = await newWorld(gateway, token);
  await world.commit({ 'a.txt': 'one\n' });
  clone = await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`, token));
});

/** A number in groups of seven bits, as deltas state sizes. */
function sizeBytes(size: number): Buffer {
  const bytes: number[] = [];
  let rest = size;
  do {
    const next = Math.floor(rest / 128);
    bytes.push((rest & 0x7f) | (next > 0 ? 0x80 : 0));
    rest = next;
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** A delta that copies a base of 16 MB, 0xffffff bytes of it, so many times. */
function copiesOf(base: Buffer, times: number): Buffer {
  const copy = Buffer.from([0b1111_0000, 0xff, 0xff, 0xff]);
  return Buffer.concat([
    sizeBytes(base.length),
    sizeBytes(0xffffff * times),
    ...Array.from({ length: times }, () => copy),
  ]);
}

const stored = async (): Promise<unknown> =>
  gateway.database.read(sql`select (select count(*)::int from git_object where repository_id = ${world.id}) as objects,
    (select count(*)::int from git_ref where repository_id = ${world.id}) as refs`);

/** Sends a pack; returns the report and the lines for the person. */
async function send(bytes: Buffer, oid: string, ref = 'refs/heads/hostile'): Promise<string> {
  const body = Buffer.concat([Buffer.from(commandLines([{ ref, to: oid }])), bytes]);
  const { status, text } = await sendPush(gateway, world, token, body);
  expect(status).toBe(200);
  return text;
}

async function expectRefused(bytes: Buffer, oid: string, reason: RegExp): Promise<void> {
  const before = await stored();
  const answer = await send(bytes, oid);
  expect(answer).toMatch(reason);
  expect(answer).toContain('ng refs/heads/hostile unpacker error');
  expect(answer).not.toMatch(/\/tmp\/|\.git\b.*objects/);
  expect(await stored()).toEqual(before);
}

describe('objects that are larger than they look', () => {
  const base = Buffer.alloc(16 * 1024 * 1024);
  const baseEntry = entry('blob', base.length, base);

  test.each([
    ['112 MB, above the limit of a blob', 7, /a blob is too large/],
    ['3.2 GB, more than git gets', 200, /needs more memory|too large|damaged/],
  ])(
    'a delta of a few bytes that becomes %s',
    async (_name, times, reason) => {
      const delta = copiesOf(base, times);
      const bomb = pack(baseEntry, entry('refDelta', delta.length, delta, oidOf('blob', base)));
      expect(bomb.length).toBeLessThan(50_000);
      await expectRefused(bomb, '1'.repeat(40), reason);
    },
    60_000,
  );

  test('an entry whose stream is longer or shorter than it says', async () => {
    const text = Buffer.from('a text of some length');
    for (const size of [text.length - 1, text.length + 1, 2 ** 40]) {
      await expectRefused(
        pack(entry('blob', size, text)),
        oidOf('blob', text),
        /damaged or incomplete|needs more memory|too large/,
      );
    }
  });

  test('a tree of more than 16 MB', async () => {
    const name = 'x'.repeat(200);
    const oid = Buffer.from(oidOf('blob', Buffer.from('one\n')), 'hex');
    const entries = Array.from({ length: 76_000 }, (_, at) =>
      Buffer.concat([Buffer.from(`100644 ${String(at).padStart(8, '0')}${name}\0`), oid]),
    );
    const tree = Buffer.concat(entries);
    expect(tree.length).toBeGreaterThan(16 * 1024 * 1024);
    await expectRefused(pack(entry('tree', tree.length, tree)), oidOf('tree', tree), /a tree is too large|too many/);
  }, 60_000);
});

describe('deltas and numbers', () => {
  test('a delta whose base is nowhere', async () => {
    const delta = Buffer.concat([sizeBytes(4), sizeBytes(4), Buffer.from([4]), Buffer.from('two\n')]);
    const lonely = pack(entry('refDelta', delta.length, delta, '2'.repeat(40)));
    await expectRefused(lonely, oidOf('blob', Buffer.from('two\n')), /lacks objects that its deltas need/);
  });

  test('a number of entries that the pack does not have', async () => {
    for (const count of [0xffff_ffff, 5_000_000, 2]) {
      const bytes = pack(entry('blob', 1, Buffer.from('x'))).subarray(0, -20);
      bytes.writeUInt32BE(count, 8);
      const whole = Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
      await expectRefused(
        whole,
        oidOf('blob', Buffer.from('x')),
        /damaged or incomplete|needs more memory|lacks objects|too many objects/,
      );
    }
  });

  test('an object that is stored already is not replaced', async () => {
    const text = Buffer.from('one\n');
    const before = await stored();
    // A branch cannot point to a blob.
    expect(await send(pack(entry('blob', text.length, text)), oidOf('blob', text))).toContain('ng refs/heads/hostile');
    expect(await stored()).toEqual(before);
  });
});

describe('a tree with an entry that git refuses', () => {
  const blob = Buffer.from(oidOf('blob', Buffer.from('one\n')), 'hex');
  const file = (name: string | Buffer, mode = '100644'): Buffer =>
    Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), blob]);

  test.each<[string, Buffer]>([
    ['.git', file('.git')],
    ['.GIT', file('.GIT')],
    ['.git with trailing dots, on NTFS', file('.git...')],
    ['.git with a trailing space, on NTFS', file('.git ')],
    ['.git with a stream, on NTFS', file('.git::$INDEX_ALLOCATION')],
    ['its short name on NTFS', file('GIT~1')],
    ['.git with a character that HFS+ ignores', file('.g\u200cit')],
    ['another such character', file('.GI\ufeffT')],
    ['.', file('.')],
    ['..', file('..')],
    ['an empty name', file('')],
    ['a name with a slash', file('a/b')],
    ['duplicate entries', Buffer.concat([file('a'), file('a')])],
    ['a file and a directory of one name', Buffer.concat([file('a'), file('a', '40000')])],
    ['entries that are not sorted', Buffer.concat([file('b'), file('a')])],
    ['a null id', Buffer.concat([Buffer.from('100644 a\0'), Buffer.alloc(20)])],
    ['a symlink named .gitmodules', file('.gitmodules', '120000')],
    ['half an entry', file('a').subarray(0, -3)],
  ])('%s', async (_name, tree) => {
    const treeOid = oidOf('tree', tree);
    const commit = Buffer.from(
      `tree ${treeOid}\nauthor A <a@example.org> 1 +0000\ncommitter A <a@example.org> 1 +0000\n\nx\n`,
    );
    const bytes = pack(entry('tree', tree.length, tree), entry('commit', commit.length, commit));
    await expectRefused(bytes, oidOf('commit', commit), /unpack (git fsck refuses an object|The pack is damaged)/);
  });
});

test('no git process and no file of a refused pack is left, and the repository works', async () => {
  const { stdout } = await runGit(clone.path, ['ls-remote', 'origin']);
  expect(stdout).toContain('refs/heads/main');
  await clone.commit({ 'b.txt': 'two' });
  await clone.run('push', '-q', 'origin', 'main');
  await (await Clone.of(remoteUrl(gateway.url, `${world.owner}/${world.name}`, token))).run('fsck', '--strict');
});
