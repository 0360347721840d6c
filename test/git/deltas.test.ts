import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { composeDeltas, parseDelta, partsBetween } from '../../src/git/delta.ts';
import { exportBundle, exportRepository } from '../../src/git/export-repository.ts';
import { DeltaChains, maxChainBytes, maxChainDeltas } from '../../src/git/maintenance/delta-chains.ts';
import { withMaintenanceLock } from '../../src/git/maintenance/maintenance-lock.ts';
import { repackRepository } from '../../src/git/maintenance/repack-repository.ts';
import { verifyRepository } from '../../src/git/maintenance/verify-repository.ts';
import { createObject } from '../../src/git/object.ts';
import { ObjectIndex } from '../../src/git/object-list.ts';
import { openBlob } from '../../src/git/open-blob.ts';
import { findLastCommit } from '../../src/git/path-history.ts';
import { findObjects, readObject } from '../../src/git/read-objects.ts';
import { readRef } from '../../src/git/refs.ts';
import { oidBytes, type Repository } from '../../src/git/repository.ts';
import { pathParts } from '../../src/git/tree-path.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { numbers, randomHistory } from './random-history.ts';
import { cold, folder, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();
const scratch = mkdtempSync(join(tmpdir(), 'portico-repack-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const { signal } = new AbortController();
const later = new Date('2027-01-01T00:00:00Z');

async function repack(repository: Repository, coldBefore = later) {
  const done = await withMaintenanceLock(world.database.pools.jobs, repository.id, session =>
    repackRepository(session, repository, { scratch, coldBefore, hotBranch: 'refs/heads/main', minBytes: 0, signal }),
  );
  if (!done) throw new Error('The repository is locked.');
  return done;
}

async function defectsOf(repository: Repository): Promise<string[]> {
  const lines: string[] = [];
  await verifyRepository(cold(world, repository), { onDefect: line => lines.push(line), signal });
  return lines;
}

interface DeltaRow {
  oid: string;
  base: string;
  type: number;
  size: number;
}

const deltasOf = (repository: Repository): Promise<DeltaRow[]> =>
  world.database.read(sql<DeltaRow>`
    select encode(oid, 'hex') as oid, encode(delta_base, 'hex') as base, type, size
    from git_object where repository_id = ${repository.id} and delta is not null order by size`);

async function imported(git: SystemGit): Promise<Repository> {
  const repository = world.repository();
  await importRepository(world.context, { repositoryId: repository.id, path: git.path });
  return repository;
}

/** A history of one file in which each commit replaces a line. Lines are of random words, so that they compress like text. */
class EditedFile {
  readonly git = SystemGit.create();
  readonly #pick = numbers(11);
  readonly #lines: string[] = [];
  #commits = 0;

  constructor(bytes: number) {
    for (let size = 0; size < bytes; size += (this.#lines.at(-1)?.length ?? 0) + 1) this.#lines.push(this.#line());
  }

  edit(times: number): this {
    const stream: string[] = [];
    for (let at = 0; at < times; at++) {
      this.#lines[this.#pick(this.#lines.length)] = this.#line();
      const text = `${this.#lines.join('\n')}\n`;
      const from = this.#commits === 0 ? '' : 'from refs/heads/main^0\n';
      stream.push(
        `commit refs/heads/main\ncommitter C <c@example.org> ${1_600_000_000 + this.#commits++ * 100} +0000\ndata 5\nhello\n` +
          `${at === 0 ? from : ''}M 100644 inline dir/text.txt\ndata ${text.length}\n${text}\n`,
      );
    }
    this.git.bytes(['fast-import', '--quiet', '--done', '--depth=0'], { input: `${stream.join('')}done\n` });
    return this;
  }

  #line(): string {
    return Array.from({ length: 10 }, () => this.#pick(2 ** 30).toString(36)).join(' ');
  }
}

async function gathered(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return Buffer.concat(all);
}

describe('the format', () => {
  const budget = WorkBudget.unlimited();
  const varint = (number: number): number[] =>
    number < 128 ? [number] : [(number & 0x7f) | 0x80, ...varint(Math.floor(number / 128))];
  const copy = (from: number, length: number): number[] => [
    0xff,
    from & 0xff,
    (from >> 8) & 0xff,
    (from >> 16) & 0xff,
    from >> 24,
    length & 0xff,
    (length >> 8) & 0xff,
    length >> 16,
  ];
  const deltaOf = (base: number, size: number, ...ops: number[][]): Buffer =>
    Buffer.from([...varint(base), ...varint(size), ...ops.flat()]);

  test('composed deltas give the content of the last one', async () => {
    const base = Buffer.from('The quick brown fox jumps over the lazy dog.');
    const pick = numbers(5);
    let content = base;
    let known = await parseDelta(deltaOf(base.length, base.length, copy(0, base.length)), budget);
    for (let round = 0; round < 200; round++) {
      const ops: number[][] = [];
      const parts: Buffer[] = [];
      for (let op = 1 + pick(5); op > 0; op--) {
        const from = pick(content.length);
        const length = 1 + pick(content.length - from);
        const text = Buffer.from(`<${round}>`);
        const isCopy = pick(3) > 0;
        ops.push(isCopy ? copy(from, length) : [text.length, ...text]);
        parts.push(isCopy ? content.subarray(from, from + length) : text);
      }
      const next = Buffer.concat(parts).subarray(0, 60_000);
      if (next.length < Buffer.concat(parts).length) continue;
      const delta = await parseDelta(deltaOf(content.length, next.length, ...ops), budget);
      known = known && delta && (await composeDeltas(known, delta, budget));
      content = next;
      const [start, end] = [pick(content.length), content.length];
      const bytes = known
        ? [...partsBetween(known, start, end)].map(part =>
            (part.literal ?? base).subarray(part.from, part.from + part.length),
          )
        : [];
      expect(Buffer.concat(bytes).equals(content.subarray(start))).toBe(true);
    }
  });

  test.each([
    ['a reserved instruction', deltaOf(4, 1, [0])],
    ['a copy beyond the base', deltaOf(4, 8, copy(0, 8))],
    ['an insertion that is cut off', deltaOf(4, 9, [9, 1, 2])],
    ['a copy that is cut off', deltaOf(4, 4, [0xff, 0])],
    ['another size than announced', deltaOf(4, 3, copy(0, 4))],
    ['sizes that do not end', Buffer.from([0x80, 0x80])],
    ['nothing', Buffer.alloc(0)],
  ])('%s is refused', async (_, bytes) => {
    expect(await parseDelta(bytes, budget)).toBeUndefined();
  });

  test('deltas of different objects are not composed', async () => {
    const one = await parseDelta(deltaOf(4, 4, copy(0, 4)), budget);
    const other = await parseDelta(deltaOf(5, 5, copy(0, 5)), budget);
    if (!one || !other) throw new Error('They are deltas.');
    expect(await composeDeltas(one, other, budget)).toBeUndefined();
  });

  test('a chain of deltas that repeats its parts ends at the budget, with turns before', async () => {
    const base = 2_000;
    // Every other byte of the base, then this object a thousand times.
    const parts = Array.from({ length: base / 2 }, (_, n) => copy(n * 2, 1));
    const inner = await parseDelta(deltaOf(base, base / 2, ...parts), budget);
    const repeated = Array.from({ length: 1_000 }, () => copy(0, base / 2));
    const outer = await parseDelta(deltaOf(base / 2, (base / 2) * 1_000, ...repeated), budget);
    if (!inner || !outer) throw new Error('They are deltas.');
    const limits = { steps: 100_000, objects: 10, bytes: 1e9, milliseconds: 60_000 };
    await expect(composeDeltas(inner, outer, new WorkBudget(limits))).rejects.toMatchObject({ limit: 'steps' });
  });
});

test('a random history reads the same from deltas, exports clean, and stays whole where branches are', async () => {
  const git = randomHistory(250, 3);
  const repository = await imported(git);
  const oids = git.lines('rev-list', '--objects', '--no-object-names', '--all');
  const before = await findObjects(cold(world, repository), oids);
  const { deltas } = await repack(repository);
  expect(deltas).toBeGreaterThan(50);
  expect(await defectsOf(repository)).toEqual([]);
  const after = await findObjects(cold(world, repository), oids);
  expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
  for (const [oid, { content }] of before) expect(after.get(oid)?.content.equals(content)).toBe(true);
  // What the tip of the branch has is still whole, and nothing is left to do.
  const tip = new Set(git.lines('rev-list', '--objects', '--no-object-names', '--max-count=1', 'main'));
  expect((await deltasOf(repository)).filter(({ oid }) => tip.has(oid))).toEqual([]);
  expect((await repack(repository)).deltas).toBe(0);
  const path = folder();
  await exportRepository(cold(world, repository), path);
  const copy = new SystemGit(path);
  copy.run('fsck', '--strict', '--full');
  expect(copy.lines('rev-list', '--objects', '--no-object-names', '--all').sort()).toEqual(oids.sort());
  const file = join(folder(), 'all.bundle');
  await exportBundle(cold(world, repository), file);
  const clone = SystemGit.create('--bare');
  clone.run('fetch', '-q', file, 'refs/*:refs/*');
  expect(clone.run('rev-parse', 'main')).toBe(git.run('rev-parse', 'main'));
  const root = await readRef(repository, 'refs/heads/main');
  const files = git.lines('ls-tree', '-r', '--name-only', 'main').filter(name => !name.startsWith('"'));
  for (const name of files.slice(0, 5)) {
    const found = await findLastCommit(cold(world, repository), root ?? '', pathParts(name));
    expect(found?.oid).toBe(git.run('log', '-1', '--format=%H', 'main', '--', name));
  }
});

describe('a file of 1.5 MB', () => {
  test('takes at most twice what git gc takes, and reads the same piece by piece', async () => {
    const file = new EditedFile(1_500_000);
    file.edit(12);
    const repository = await imported(file.git);
    const tip = file.git.run('rev-parse', 'main:dir/text.txt');
    await repack(repository);
    file.edit(12);
    await importRepository(world.context, { repositoryId: repository.id, path: file.git.path });
    await repack(repository);
    expect(await defectsOf(repository)).toEqual([]);
    const blobs = file.git
      .lines('rev-list', '--objects', 'main')
      .flatMap(line => line.match(/^\w+(?= dir\/text.txt)/) ?? []);
    expect(blobs).toHaveLength(24);
    const rows = await deltasOf(repository);
    expect(rows.filter(({ type }) => type === 3)).toHaveLength(23);
    expect(rows.some(({ oid }) => oid === tip)).toBe(true);
    for (const oid of blobs) {
      const content = file.git.bytes(['cat-file', 'blob', oid]);
      const blob = await openBlob(cold(world, repository), oid);
      if (!blob) throw new Error('It exists.');
      expect((await gathered(blob.pieces())).equals(content)).toBe(true);
      const range = { start: 1_048_570, end: 1_048_590 };
      expect((await gathered(blob.pieces(range))).equals(content.subarray(range.start, range.end))).toBe(true);
      await expect(readObject(cold(world, repository), oid)).rejects.toMatchObject({ code: 'too-large' });
    }
    const [stored] = await world.database.read<{ bytes: number }>(sql`
      select (select sum(pg_column_size(o.*)) from git_object o where repository_id = ${repository.id})
        + (select sum(pg_column_size(c.*)) from git_chunk c where repository_id = ${repository.id}) as bytes`);
    // As `git gc` packs loose objects. With more threads it stores the file as a whole for each of them.
    file.git.run('-c', 'pack.threads=1', 'repack', '-a', '-d', '-f', '-q', '--window=10', '--depth=50');
    const packed = Number(
      file.git
        .lines('count-objects', '-v')
        .find(line => line.startsWith('size-pack'))
        ?.slice(11),
    );
    expect(stored?.bytes).toBeLessThan(2 * packed * 1024);
  });

  test('a stream that has begun goes on when the file and its base are stored as deltas', async () => {
    const file = new EditedFile(2_500_000);
    file.edit(1);
    const repository = await imported(file.git);
    const oid = file.git.run('rev-parse', 'main:dir/text.txt');
    const content = file.git.bytes(['cat-file', 'blob', oid]);
    const pieces = (await openBlob(cold(world, repository), oid))?.pieces();
    const first = await pieces?.next();
    file.edit(1);
    await importRepository(world.context, { repositoryId: repository.id, path: file.git.path });
    await repack(repository);
    const second = await pieces?.next();
    file.edit(1);
    await importRepository(world.context, { repositoryId: repository.id, path: file.git.path });
    await repack(repository);
    expect(await deltasOf(repository)).toHaveLength(2);
    const rest = pieces ? await gathered(pieces) : Buffer.alloc(0);
    expect(Buffer.concat([first?.value, second?.value, rest]).equals(content)).toBe(true);
  });
});

describe('damage', () => {
  async function small() {
    const { git } = new EditedFile(20_000).edit(10);
    const repository = await imported(git);
    await repack(repository);
    const rows = await deltasOf(repository);
    const blob = rows.find(({ type }) => type === 3);
    if (!blob) throw new Error('There are deltas of blobs.');
    return { git, repository, blob };
  }
  const update = (repository: Repository, oid: string, change: ReturnType<typeof sql>) =>
    sql`update git_object set ${change} where repository_id = ${repository.id} and oid = ${oidBytes(oid)}`.execute(
      world.database.sql,
    );

  test.each([
    ['bytes that are no zlib stream', (): ReturnType<typeof sql> => sql`delta = '\\x00'::bytea`],
    ['another delta', () => sql`delta = ${deflateSync(Buffer.from([1, 1, 1, 0x61]))}, delta_size = 4`],
    ['a base that does not exist', () => sql`delta_base = ${Buffer.alloc(20, 7)}`],
    ['a wrong size of the delta', () => sql`delta_size = delta_size + 1`],
    ['a check sum', () => sql`sha256 = ${Buffer.alloc(32)}`],
  ])('%s is found in a row with a delta', async (name, change) => {
    const { repository, blob } = await small();
    await update(repository, blob.oid, change());
    expect((await defectsOf(repository)).join('\n')).toContain(blob.oid);
    if (name === 'a check sum') return;
    await expect(readObject(cold(world, repository), blob.oid)).rejects.toMatchObject({
      code: 'corrupt',
      subject: blob.oid,
    });
    // git does not take what is damaged, and so nothing is replaced.
    await expect(repack(repository)).rejects.toThrow();
  });

  test('is found in a whole row and in those that need it, in a circle, in refs and in what is referred to', async () => {
    const { git, repository, blob } = await small();
    const [row] = await world.database.read<{ z: Buffer }>(
      sql`select z from git_object where repository_id = ${repository.id} and oid = ${oidBytes(blob.base)}`,
    );
    if (row?.z) {
      await update(repository, blob.base, sql`z = ${deflateSync('x')}`);
      const lines = (await defectsOf(repository)).join('\n');
      expect(lines).toContain(blob.base);
      expect(lines).toContain(blob.oid);
      await update(repository, blob.base, sql`z = ${row.z}`);
    }
    expect(await defectsOf(repository)).toEqual([]);
    const tree = git.run('rev-parse', 'main^{tree}');
    await sql`delete from git_object where repository_id = ${repository.id} and oid = ${oidBytes(tree)}`.execute(
      world.database.sql,
    );
    const main = git.run('rev-parse', 'main');
    expect(await defectsOf(repository)).toContain(
      `The commit ${main} refers to the tree ${tree}, which is not stored.`,
    );
    await sql`insert into git_ref (repository_id, name, oid) values (${repository.id}, 'refs/heads/lost', ${Buffer.alloc(20, 9)}),
      (${repository.id}, 'refs/heads/blob', ${oidBytes(blob.oid)})`.execute(world.database.sql);
    const lines = await defectsOf(repository);
    expect(lines).toContain(`The ref refs/heads/lost points to ${'09'.repeat(20)}, which is not stored.`);
    expect(lines).toContain(`The branch refs/heads/blob points to ${blob.oid}, which is a blob.`);
    await update(repository, blob.oid, sql`delta_base = ${oidBytes(blob.oid)}`);
    expect((await defectsOf(repository)).join('\n')).toMatch(new RegExp(`chain of deltas of ${blob.oid} is a circle`));
    await expect(readObject(cold(world, repository), blob.oid)).rejects.toMatchObject({ code: 'corrupt' });
  });
});

test('chains of deltas stay short, small and without circles', async () => {
  const repository = world.repository();
  const objects = Array.from({ length: maxChainDeltas + 5 }, (_, at) => Buffer.from(`content ${at}`));
  await world.store(
    repository,
    objects.map(content => createObject('blob', content)),
  );
  const index = await ObjectIndex.read(repository);
  const chains = await DeltaChains.read(repository, index);
  for (let at = 1; at <= maxChainDeltas; at++) expect(chains.add({ at: at - 1, base: at, size: 10 })).toBe(true);
  // The chain has its length from both ends, and its last object is not a delta of the first.
  expect(chains.add({ at: maxChainDeltas, base: maxChainDeltas + 1, size: 10 })).toBe(false);
  expect(chains.add({ at: maxChainDeltas, base: 0, size: 10 })).toBe(false);
  expect(chains.add({ at: maxChainDeltas + 1, base: 0, size: 10 })).toBe(false);
  expect(chains.add({ at: maxChainDeltas + 1, base: 1, size: 10 })).toBe(true);
  expect(chains.add({ at: maxChainDeltas + 2, base: maxChainDeltas, size: maxChainBytes + 1 })).toBe(false);
  expect(chains.add({ at: maxChainDeltas + 2, base: maxChainDeltas, size: maxChainBytes })).toBe(true);
  expect(chains.add({ at: maxChainDeltas + 3, base: maxChainDeltas + 2, size: 1 })).toBe(false);
});

test('after a repack for each edit, two versions are whole at most', async () => {
  const file = new EditedFile(30_000).edit(1);
  const repository = await imported(file.git);
  for (let round = 0; round < 15; round++) {
    file.edit(1);
    await importRepository(world.context, { repositoryId: repository.id, path: file.git.path });
    await repack(repository);
  }
  const deltas = await deltasOf(repository);
  expect(deltas.filter(({ type }) => type === 3).length).toBeGreaterThanOrEqual(14);
  expect(await defectsOf(repository)).toEqual([]);
});

test('objects of the last minutes stay whole, and two processes do not repack at the same time', async () => {
  const repository = await imported(new EditedFile(10_000).edit(3).git);
  const stored = new Date('2026-11-01T12:00:00Z');
  expect(await repack(repository, stored)).toMatchObject({ deltas: 0, coldBytes: 0 });
  const { jobs } = world.database.pools;
  await withMaintenanceLock(jobs, repository.id, async () => {
    expect(await withMaintenanceLock(jobs, repository.id, async () => 'both')).toBeUndefined();
    expect(await withMaintenanceLock(jobs, repository.id + 1, async () => 'another')).toBe('another');
  });
  expect((await repack(repository)).deltas).toBeGreaterThan(0);
});
