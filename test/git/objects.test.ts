import { constants, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { encodeCommit, encodeHeaders, encodeTag, parseCommit, parseHeaders, parseTag } from '../../src/git/commit.ts';
import { createObject, type GitObject, hashObject } from '../../src/git/object.ts';
import { LoadedObject, MemoryObjectCache } from '../../src/git/object-cache.ts';
import { openBlob } from '../../src/git/open-blob.ts';
import { encodePerson, parsePerson, parseTimestamp, timestampInZone } from '../../src/git/person.ts';
import { findObject, findObjects, readObject, readTree } from '../../src/git/read-objects.ts';
import { isRefName } from '../../src/git/ref-name.ts';
import { oidBytes, type Repository } from '../../src/git/repository.ts';
import { encodeTree, parseTree, type TreeEntry } from '../../src/git/tree.ts';
import { writeBlob } from '../../src/git/write-blob.ts';
import { push } from '../../src/hosting/pushes/push.ts';
import { author, cold, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();
const git = SystemGit.create();
const runs = { numRuns: 25 };

function hashed(type: string, content: Buffer): string {
  return git.bytes(['hash-object', '-t', type, '--stdin', '--literally'], { input: content }).toString().trim();
}

const nameOf = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map(bytes => Buffer.from(bytes.map(byte => (byte === 0 || byte === 0x2f ? 0x61 : byte))));
const entries = fc
  .uniqueArray(fc.record({ name: nameOf, mode: fc.constantFrom('100644', '100755', '120000', '160000', '40000') }), {
    selector: ({ name }) => name.toString('latin1'),
    maxLength: 12,
  })
  .map(all => all.map(({ name, mode }): TreeEntry => ({ name, mode, oid: hashObject('blob', name) })));

describe('objects have the bytes and ids of git', () => {
  test('trees of any names, sorted as git mktree sorts them', () => {
    fc.assert(
      fc.property(entries, all => {
        const ours = encodeTree(all);
        const types: Record<string, string> = { '40000': 'tree', '160000': 'commit' };
        const input = Buffer.concat(
          all.flatMap(({ mode, name, oid }) => [
            Buffer.from(`${mode} ${types[mode] ?? 'blob'} ${oid}\t`),
            name,
            Buffer.from([0]),
          ]),
        );
        expect(hashObject('tree', ours)).toBe(git.bytes(['mktree', '-z', '--missing'], { input }).toString().trim());
        expect(encodeTree(parseTree(ours, 'tree').entries).equals(ours)).toBe(true);
      }),
      runs,
    );
  });

  test('commits made from any names, messages and zones, as git commit-tree makes them', () => {
    const tree = git.bytes(['mktree'], { input: '' }).toString().trim();
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      // Punctuation at an end is what git drops and we keep.
      .filter(one => /^[a-z].*[a-z]$/is.test(one) && !/[\0\n<>]/.test(one));
    fc.assert(
      fc.property(
        text,
        text,
        text,
        fc.integer({ min: 100_000_000, max: 4_102_444_799 }),
        fc.constantFrom('+0000', '-0830', '+1400'),
        (name, email, message, seconds, zone) => {
          const person = { name, email, seconds, zone };
          const content = encodeCommit({
            tree,
            parents: [],
            author: person,
            committer: person,
            message: `${message}\n`,
          });
          const env: Record<string, string> = {};
          for (const who of ['AUTHOR', 'COMMITTER']) {
            Object.assign(env, {
              [`GIT_${who}_NAME`]: name,
              [`GIT_${who}_EMAIL`]: email,
              [`GIT_${who}_DATE`]: `${seconds} ${zone}`,
            });
          }
          const oid = git.bytes(['commit-tree', tree, '-F', '-'], { input: `${message}\n`, env });
          expect(hashObject('commit', content)).toBe(oid.toString().trim());
          expect(parseCommit(content, 'commit').author).toEqual(parsePerson(encodePerson(person)));
        },
      ),
      runs,
    );
  });

  test('headers and message of any commit round-trip byte for byte', () => {
    const header = fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      value: fc.uint8Array({ maxLength: 30 }).map(bytes => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(fc.array(header), fc.option(fc.uint8Array(), { nil: undefined }), (headers, text) => {
        const bytes = encodeHeaders({ headers, text: text && Buffer.from(text) });
        const parsed = parseHeaders(bytes, 'object');
        expect(parsed.headers).toEqual(headers);
        expect(encodeHeaders(parsed).equals(bytes)).toBe(true);
      }),
    );
  });

  test('tags', () => {
    const target = hashObject('blob', Buffer.from('x'));
    const content = encodeTag({ target, type: 'blob', name: 'v1', tagger: author, message: 'Version\n' });
    const input = `object ${target}\ntype blob\ntag v1\ntagger ${encodePerson(author)}\n\nVersion\n`;
    expect(content.toString()).toBe(input);
    expect(hashObject('tag', content)).toBe(hashed('tag', content));
    expect(parseTag(content, 'tag')).toMatchObject({ target, type: 'blob', tagger: author });
  });

  test('dates keep their UTC offset; invalid dates are refused', () => {
    expect(parseTimestamp('2026-03-01T12:00:00+01:30')).toEqual({
      seconds: Date.UTC(2026, 2, 1, 10, 30) / 1000,
      zone: '+0130',
    });
    expect(parseTimestamp('2026-03-01T12:00:00.123Z')).toEqual({
      seconds: Date.UTC(2026, 2, 1, 12) / 1000,
      zone: '+0000',
    });
    expect(parseTimestamp('1969-12-31T23:59:59Z')?.seconds).toBe(-1);
    expect(parseTimestamp('2099-12-31T23:59:59Z')?.seconds).toBe(4_102_444_799);
    expect(parseTimestamp('2100-01-01T00:00:00Z')?.seconds).toBe(4_102_444_800);
    for (const bad of [
      '2026-02-30T00:00:00Z',
      '2026-03-01T12:00:00',
      '2026-03-01',
      '2026-03-01T24:00:00Z',
      'now',
      '2026-13-40',
    ]) {
      expect(parseTimestamp(bad)).toBeUndefined();
    }
    expect(timestampInZone(new Date('2026-07-01T00:00:00Z'), 'Europe/Berlin')?.zone).toBe('+0200');
    expect(timestampInZone(new Date('2026-07-01T00:00:00Z'), 'America/St_Johns')?.zone).toBe('-0230');
    expect(timestampInZone(new Date(), 'Nowhere/Here')).toBeUndefined();
    for (const bad of [{ name: ' <>. ' }, { email: '\n' }, { seconds: -1 }, { zone: 'Z' }]) {
      expect(() => encodePerson({ ...author, ...bad })).toThrow(expect.objectContaining({ code: 'bad-person' }));
    }
  });
});

test('ref names as git check-ref-format accepts them', () => {
  const part = fc.constantFrom(
    'a',
    'b',
    '.',
    '..',
    '@',
    '{',
    'refs',
    '.lock',
    '~',
    ' ',
    '*',
    'ü',
    '\\',
    '\x7f',
    '-',
    ':',
    'x.',
    '@{',
  );
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 3 }), { maxLength: 4 }), parts => {
      // In a directory, because git takes an argument that begins with `-` for an option.
      const name = ['refs', ...parts.map(one => one.join(''))].join('/');
      let isFine = true;
      try {
        git.run('check-ref-format', name);
      } catch {
        isFine = false;
      }
      expect([name, isRefName(name)]).toEqual([name, isFine]);
    }),
    { numRuns: 150 },
  );
});

describe('the store', () => {
  const blob = (text: string): GitObject => createObject('blob', Buffer.from(text));

  test('returns what was stored, once each, and nothing of other repositories', async () => {
    const [mine, other] = [world.repository(), world.repository()];
    const objects = Array.from({ length: 3000 }, (_, at) => blob(`content ${at}`));
    await world.store(mine, [...objects, ...objects.slice(0, 10)]);
    await world.store(mine, objects);
    const found = await findObjects(
      cold(world, mine),
      objects.map(({ oid }) => oid),
    );
    expect([...found.values()].map(({ content }) => content.toString()).sort()).toEqual(
      objects.map(({ content }) => content.toString()).sort(),
    );
    expect(await findObject(mine, objects[0]?.oid ?? '')).toBeDefined();
    expect(await findObject(other, objects[0]?.oid ?? '')).toBeUndefined();
    await expect(readObject(other, objects[0]?.oid ?? '')).rejects.toMatchObject({ code: 'missing' });
  });

  test('refuses other content under an existing id', async () => {
    const repository = world.repository();
    const [one, other] = [blob('one'), blob('other')];
    await world.store(repository, [one]);
    await expect(world.store(repository, [{ ...other, oid: one.oid }, blob('third')])).rejects.toMatchObject({
      code: 'collision',
    });
    expect((await readObject(cold(world, repository), one.oid)).content.toString()).toBe('one');
    expect(await findObject(cold(world, repository), blob('third').oid)).toBeUndefined();
  });

  test('reports a corrupt row and an object of another type', async () => {
    const repository = world.repository();
    const tree = createObject('tree', Buffer.from('no tree at all'));
    const [good, swapped] = [blob('good'), blob('swapped')];
    await world.store(repository, [good, swapped, tree]);
    await expect(readTree(repository, tree.oid)).rejects.toMatchObject({ code: 'corrupt' });
    await expect(readTree(repository, good.oid)).rejects.toMatchObject({ code: 'wrong-type' });
    await sql`update git_object set z = (select z from git_object where repository_id = ${repository.id} and oid = ${oidBytes(good.oid)})
      where repository_id = ${repository.id} and oid = ${oidBytes(swapped.oid)}`.execute(world.database.sql);
    await expect(readObject(cold(world, repository), swapped.oid)).rejects.toMatchObject({ code: 'corrupt' });
    await sql`update git_object set z = substr(z, 1, 5) where repository_id = ${repository.id} and oid = ${oidBytes(good.oid)}`.execute(
      world.database.sql,
    );
    await expect(readObject(cold(world, repository), good.oid)).rejects.toMatchObject({
      code: 'corrupt',
      subject: good.oid,
    });
  });

  test('a transaction that is rolled back leaves nothing, not even in the cache', async () => {
    const repository = world.repository();
    const lost = blob('lost');
    const pushing = push(world.context, {
      repositoryId: repository.id,
      updates: [
        {
          ref: 'refs/tags/x',
          to: async () => {
            throw new Error('changed my mind');
          },
        },
      ],
      objects: [lost],
    });
    await expect(pushing).rejects.toThrow('changed my mind');
    expect(await findObject(repository, lost.oid)).toBeUndefined();
  });
});

describe('blobs in chunks', () => {
  const mebi = 1024 * 1024;
  const size = 3 * mebi + 12_345;
  const content = Buffer.alloc(size);
  for (let at = 0; at < size; at += 4)
    content.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 12, Math.min(at, size - 4));
  const target = (repository: Repository) => ({ repositoryId: repository.id, now: new Date('2026-11-01T12:00:00Z') });

  async function gathered(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
    const all: Buffer[] = [];
    for await (const piece of pieces) all.push(Buffer.from(piece));
    return Buffer.concat(all);
  }

  test('can be read completely, by range, and as one deflate stream', async () => {
    const repository = world.repository();
    const uneven = function* (): Generator<Buffer> {
      for (let at = 0; at < size; at += 777_777) yield content.subarray(at, at + 777_777);
    };
    const oid = await inTransaction(world.database, db => writeBlob({ db, ...target(repository) }, size, uneven()));
    expect(oid).toBe(hashObject('blob', content));
    const blob = await openBlob(repository, oid);
    expect(blob?.size).toBe(size);
    if (!blob) return;
    expect((await gathered(blob.pieces())).equals(content)).toBe(true);
    for (const [start, end] of [
      [0, 1],
      [mebi - 1, mebi + 1],
      [mebi, 2 * mebi],
      [size - 5, size],
      [size - 5, size + 99],
      [7, 7],
    ] as const) {
      expect((await gathered(blob.pieces({ start, end }))).equals(content.subarray(start, end))).toBe(true);
    }
    const rows = await world.database.read<{ z: Buffer }>(
      sql`select c.z from git_chunk c join git_object o using (chunks) where o.repository_id = ${repository.id} order by position`,
    );
    const stream = Buffer.concat(rows.map(({ z }) => z));
    expect(inflateRawSync(stream, { finishFlush: constants.Z_SYNC_FLUSH }).equals(content)).toBe(true);
    await expect(readObject(repository, oid)).rejects.toMatchObject({ code: 'too-large' });
    // Storing it again keeps one row.
    await world.store(repository, [createObject('blob', content)]);
    const [count] = await world.database.read<{ n: number }>(
      sql`select count(*)::int as n from git_chunk where repository_id = ${repository.id}`,
    );
    expect(count?.n).toBe(4);
  });

  test('a missing or corrupt chunk ends the stream with an error', async () => {
    const repository = world.repository();
    await world.store(repository, [createObject('blob', content)]);
    const oid = hashObject('blob', content);
    const open = async () => (await openBlob(repository, oid))?.pieces() ?? [];
    await sql`update git_chunk set z = (select z from git_chunk where repository_id = ${repository.id} and position = 0)
      where repository_id = ${repository.id} and position = 1`.execute(world.database.sql);
    await expect(open().then(pieces => gathered(pieces as AsyncIterable<Buffer>))).rejects.toMatchObject({
      code: 'corrupt',
    });
    await sql`delete from git_chunk where repository_id = ${repository.id} and position = 1`.execute(
      world.database.sql,
    );
    await expect(open().then(pieces => gathered(pieces as AsyncIterable<Buffer>))).rejects.toMatchObject({
      code: 'corrupt',
    });
  });

  test('a wrong or excessive size is refused and leaves nothing', async () => {
    const repository = world.repository();
    const write = (announced: number, pieces: Buffer[]): Promise<string> =>
      inTransaction(world.database, db => writeBlob({ db, ...target(repository) }, announced, pieces));
    for (const announced of [size - 1, size + 1, 5])
      await expect(write(announced, [content])).rejects.toMatchObject({ code: 'corrupt' });
    await expect(write(5, [Buffer.from('four')])).rejects.toMatchObject({ code: 'corrupt' });
    await expect(write(100 * mebi + 1, [])).rejects.toMatchObject({ code: 'too-large' });
    const [count] = await world.database.read<{ n: number }>(
      sql`select (select count(*) from git_chunk where repository_id = ${repository.id})
        + (select count(*) from git_object where repository_id = ${repository.id}) as n`,
    );
    expect(count?.n).toBe(0);
  });
});

test('the cache stays within its size and keeps repositories apart', () => {
  const cache = new MemoryObjectCache(100_000);
  const objects = Array.from(
    { length: 200 },
    (_, at) => new LoadedObject(createObject('blob', Buffer.alloc(1000, at))),
  );
  for (const object of objects) cache.putObject(1, object);
  const kept = objects.filter(({ oid }) => cache.getObject(1, oid));
  expect(kept.length).toBeGreaterThan(40);
  expect(kept.length).toBeLessThan(100);
  expect(cache.getObject(2, objects.at(-1)?.oid ?? '')).toBeUndefined();
  cache.putObject(1, new LoadedObject(createObject('blob', Buffer.alloc(50_000))));
  expect(cache.getObject(1, hashObject('blob', Buffer.alloc(50_000)))).toBeUndefined();
});
