import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, gunzipSync, inflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createTar, createTarGz } from '../../src/git/archives/tar.ts';
import { createZip } from '../../src/git/archives/zip.ts';
import type { Repository } from '../../src/git/repository.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { randomHistory } from './random-history.ts';
import { cold, folder, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();

/**
 * Long paths and links, .gitattributes in several directories, a submodule, an executable, a large file, empty files.
 */
function oddTree(): SystemGit {
  const git = SystemGit.create();
  const file = (path: string, content: string, mode = '100644'): string =>
    `M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  const long = (times: number): string => Array.from({ length: times }, (_, at) => `folder-number-${at}`).join('/');
  const changes = [
    file(`${long(6)}/file`, 'just fits the two fields'),
    file(`${long(11)}/${'n'.repeat(99)}`, 'still fits'),
    file(`${long(20)}/file`, 'does not fit'),
    file(`${'l'.repeat(180)}`, 'one long name'),
    file(`${'d'.repeat(99)}/${'e'.repeat(100)}`, 'at the edge'),
    file('link', 'target', '120000'),
    file('long-link', 't'.repeat(150), '120000'),
    file('edge-link', 't'.repeat(100), '120000'),
    file('run.sh', '#!/bin/sh\n', '100755'),
    file('empty', ''),
    file('exact', 'x'.repeat(512)),
    file('large', 'large content\n'.repeat(200_000)),
    file('docs/manual', 'kept out'),
    file('docs/deep/er', 'kept out with its folder'),
    file('only/ignored.tmp', 'its folder goes too'),
    file('src/a.tmp', 'kept out'),
    file('src/keep.tmp', 'taken back'),
    file('src/sub/b.txt', 'anchored'),
    file('src/sub/deep/b.txt', 'kept in'),
    file('src/x1y', 'in a set'),
    file('src/"quoted name"', 'kept out'),
    file('Ünï', 'name'),
    file('back\\slash', 'no separator'),
    file('up\\..\\down', 'no path'),
    file(
      '.gitattributes',
      'docs/ export-ignore\n*.tmp export-ignore\n# export-ignore\n"src/\\"quoted name\\"" export-ignore\n/run.sh -export-ignore\n',
    ),
    file('src/.gitattributes', 'keep.tmp -export-ignore\nsub/b.txt export-ignore\nx[0-9]y export-ignore\n'),
    `M 160000 ${'cd'.repeat(20)} vendor/module\n`,
  ];
  const commit = `commit refs/heads/main\ncommitter C <c@example.org> 1700000001 +0200\ndata 1\nx\n${changes.join('')}done\n`;
  git.bytes(['fast-import', '--quiet', '--done'], {
    input: commit.replace('M 100644 inline src/"quoted name"', 'M 100644 inline "src/\\"quoted name\\""'),
  });
  return git;
}

/** Files that the attributes convert, and files that they leave alone. */
function convertedTree(): SystemGit {
  const git = SystemGit.create();
  const file = (path: string, content: string | Buffer): Buffer => {
    const bytes = Buffer.from(content as string);
    return Buffer.concat([Buffer.from(`M 100644 inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n')]);
  };
  const formats = 'H T t h P p an ae aN aE al aL ad aD ai aI at as cn ce cd cD ci cI ct cs s f b B e n % x41 Q'
    .split(' ')
    .map(letter => `${letter}: $Format:%${letter}$`);
  const idents = '$Id$ $Id: old $ $Id: by others $ $Id:x$ $Id: open\n$Id$Id$ $Ident$ $Id:\n$';
  const changes = [
    file('.gitattributes', ''),
    file('format.txt', `${formats.join('\n')}\n$Format:%H %an\nover lines %s$ $Format: open`),
    file('both.txt', 'one $Id$\ntwo $Format:%H$\n'),
    file('ident.txt', idents),
    file('plain.txt', `${idents} $Format:%H$\n`),
    ...['auto', 'on', 'none', 'off', 'binary', 'lf', 'input', 'old'].flatMap(kind => [
      file(`${kind}/lf.txt`, 'a\nb\n\nc'),
      file(`${kind}/mixed.txt`, 'a\r\nb\nc\rd\n'),
      file(`${kind}/crs.txt`, 'a\rb\n'),
      file(`${kind}/nul.bin`, Buffer.from('a\0b\nc\n')),
      file(`${kind}/strange.bin`, `\x01\x02${'x'.repeat(200)}\n`),
      file(`${kind}/few.txt`, `\x01${'x'.repeat(200)}\n`),
      file(`${kind}/end.txt`, `x\n\x1a`),
      file(`${kind}/empty.txt`, ''),
    ]),
    file('large.txt', 'line $Id$\n'.repeat(150_000)),
  ];
  changes[0] = file(
    '.gitattributes',
    [
      'format.txt export-subst',
      'both.txt export-subst ident eol=crlf',
      'ident.txt ident',
      'large.txt ident text eol=crlf',
      'auto/* text=auto eol=crlf',
      'on/* text eol=crlf',
      'none/* eol=crlf',
      'off/* -text eol=crlf',
      'binary/* eol=crlf text',
      'binary/* binary',
      'lf/* text eol=lf',
      'input/* text=input eol=crlf',
      'old/* crlf eol=crlf',
      '',
    ].join('\n'),
  );
  const message = '\n\nFirst: line, of  a   subject..\ncontinued \n\n\nBody\n  more\n\n';
  const person = (role: string, zone: string) =>
    `${role} A. Ünï <a.u@example.org> 17000${zone === '+0100' ? '0' : '1'}0009 ${zone}\n`;
  const head = (mark: string) =>
    Buffer.from(
      `commit refs/heads/main\n${person('author', '-0330')}${person('committer', mark)}data ${Buffer.byteLength(message)}\n${message}\n`,
    );
  git.bytes(['fast-import', '--quiet', '--done'], {
    input: Buffer.concat([head('+0200'), ...changes, head('+0100'), file('last', 'x'), Buffer.from('done\n')]),
  });
  return git;
}

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** The listing and the content of a zip file. */
function entriesOf(zip: Buffer): { path: string; mode: number; content: string }[] {
  const end = zip.lastIndexOf('PK\x05\x06');
  const entries = [];
  for (let at = zip.readUInt32LE(end + 16), left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map(field => zip.readUInt16LE(at + field)) as [number, number, number];
    const local = zip.readUInt32LE(at + 42);
    const data = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(data, data + zip.readUInt32LE(at + 20));
    const content = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed;
    entries.push({
      path: zip.toString('utf8', at + 46, at + 46 + name),
      mode: zip.readUInt32LE(at + 38) >>> 16,
      content: content.toString('latin1'),
    });
    at += 46 + name + extra + comment;
  }
  return entries;
}

describe.each([
  ['odd paths and attributes', oddTree],
  ['files that are converted', convertedTree],
  ['a random history', () => randomHistory(80, 11)],
] as const)('archives of %s', (_name, make) => {
  const git = make();
  const commit = git.run('rev-parse', 'main');
  let repository: Repository;

  beforeAll(async () => {
    repository = world.repository();
    await importRepository(world.context, { repositoryId: repository.id, path: git.path });
    repository = cold(world, repository);
  });

  test.each(['', 'owner-name-abc/', `${'p'.repeat(120)}/`])(
    'tar is byte for byte that of git archive, below «%s»',
    async prefix => {
      const ours = await bytesOf(createTar(repository, { commit, prefix }));
      const theirs = git.bytes(['archive', '--format=tar', `--prefix=${prefix}`, commit]);
      // The first difference, with its context.
      const at = ours.findIndex((byte, place) => byte !== theirs[place]);
      const around = (bytes: Buffer): string =>
        at < 0 ? '' : bytes.toString('latin1', Math.max(0, at - 200), at + 200);
      expect(around(ours)).toBe(around(theirs));
      expect(ours.length).toBe(theirs.length);
    },
  );

  test('tar.gz contains the tar and is stable', async () => {
    const options = { commit, prefix: 'x/' };
    const [one, other] = [
      await bytesOf(createTarGz(repository, options)),
      await bytesOf(createTarGz(repository, options)),
    ];
    expect(one.equals(other)).toBe(true);
    expect([...one.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    expect(gunzipSync(one).equals(git.bytes(['archive', '--format=tar', '--prefix=x/', commit]))).toBe(true);
  });

  test('zip contains the same files, with modes and the id of the commit', async () => {
    const [one, other] = [
      await bytesOf(createZip(repository, { commit, prefix: 'x/' })),
      await bytesOf(createZip(repository, { commit, prefix: 'x/' })),
    ];
    expect(one.equals(other)).toBe(true);
    expect(one.toString('latin1').endsWith(commit)).toBe(true);
    const ours = entriesOf(one);
    const theirs = entriesOf(git.bytes(['archive', '--format=zip', '--prefix=x/', commit]));
    expect(ours.map(({ path, content }) => ({ path, content }))).toEqual(
      theirs.map(({ path, content }) => ({ path, content })),
    );
    const kinds = (entries: typeof ours): number[] =>
      entries.filter(({ mode }) => mode !== 0).map(({ mode }) => mode >> 12);
    expect(new Set(kinds(ours))).toEqual(
      new Set([0o4, 0o10, ...(ours.some(({ mode }) => mode >> 12 === 0o12) ? [0o12] : [])]),
    );
  });

  const hasUnzip = spawnSync('unzip', ['-v']).status === 0;
  (hasUnzip ? test : test.skip)('unzip finds no error in the zip', async () => {
    const path = join(folder(), 'archive.zip');
    writeFileSync(path, await bytesOf(createZip(repository, { commit, prefix: 'x/' })));
    const { status, stdout } = spawnSync('unzip', ['-tqq', path]);
    expect([status, stdout.toString()]).toEqual([0, '']);
  });
});

test('a name that is not UTF-8 keeps its bytes, and a damaged object fails the archive', async () => {
  const git = SystemGit.create();
  const blob = git.bytes(['hash-object', '-w', '--stdin'], { input: 'content' }).toString().trim();
  const name = Buffer.from('caf\xe9', 'latin1');
  const line = Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from('\0')]);
  const tree = git.bytes(['mktree', '-z'], { input: line }).toString().trim();
  git.run('update-ref', 'refs/heads/main', git.run('commit-tree', tree, '-m', 'm'));
  const commit = git.run('rev-parse', 'main');
  const repository = world.repository();
  await importRepository(world.context, { repositoryId: repository.id, path: git.path });
  const options = { commit, prefix: 'x/' };
  const zip = await bytesOf(createZip(cold(world, repository), options));
  const at = zip.indexOf(Buffer.concat([Buffer.from('x/'), name]));
  // Bit 11 of the flags of the local header, 24 bytes before the name, says that a name is UTF-8.
  expect([at > 30, zip.readUInt16LE(at - 24) & (1 << 11)]).toEqual([true, 0]);
  await sql`update git_object set z = ${deflateSync('CONTENT')}
    where repository_id = ${repository.id} and oid = ${Buffer.from(blob, 'hex')}`.execute(world.database.sql);
  for (const create of [createZip, createTarGz]) {
    await expect(bytesOf(create(cold(world, repository), options))).rejects.toMatchObject({
      code: 'corrupt',
      subject: blob,
    });
  }
});
