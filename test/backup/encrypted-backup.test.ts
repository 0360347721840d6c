import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encryption, isEncrypted, readPlain } from '../../src/backup/encrypted-stream.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createAccounts } from '../harness/accounts.ts';
import { testDatabase, testGateway } from '../harness/gateway.ts';
import { testSecret } from '../harness/secret.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-encrypted-'));
afterAll(() => rmSync(folder, { recursive: true }));
const key = 'a backup key that is long enough to be one';
const otherKey = 'another backup key that is long enough too';
const fileOf = (name: string, bytes: Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const plainOf = async (path: string, backupKey: string | undefined): Promise<Buffer> =>
  buffer(await readPlain(path, backupKey));

describe('a stream', () => {
  const [head, chunk] = [62, 65_536 + 16];
  const chunksOf = (bytes: Buffer): Buffer[] =>
    Array.from({ length: Math.ceil((bytes.length - head) / chunk) }, (_, at) =>
      bytes.subarray(head + at * chunk, head + (at + 1) * chunk),
    );
  async function encrypted(name: string, content: Buffer): Promise<Buffer> {
    const path = join(folder, name);
    await pipeline(Readable.from([content], { objectMode: false }), await encryption(key), createWriteStream(path));
    return readFileSync(path);
  }

  test.each([0, 1, 65_535, 65_536, 65_537, 200_000])('of %d bytes is read as it was written', async length => {
    const content = randomBytes(length);
    const bytes = await encrypted('length', content);
    expect(chunksOf(bytes).length).toBe(Math.max(1, Math.ceil(length / 65_536)));
    expect((await plainOf(join(folder, 'length'), key)).equals(content)).toBe(true);
  });

  describe('with a change', () => {
    let one: Buffer;
    let two: Buffer;
    beforeAll(async () => {
      one = await encrypted('one', randomBytes(200_000));
      two = await encrypted('two', randomBytes(200_000));
    });
    const joined = (from: Buffer, chunks: (Buffer | undefined)[]): Buffer =>
      Buffer.concat([from.subarray(0, head), ...chunks.filter(one => one !== undefined)]);
    const flipped = (at: number): Buffer => {
      const bytes = Buffer.from(one);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    };
    test.each<[string, () => Buffer]>([
      ['its last chunk left out', () => joined(one, chunksOf(one).slice(0, -1))],
      ['its first chunk left out', () => joined(one, chunksOf(one).slice(1))],
      [
        'two chunks exchanged',
        () =>
          joined(
            one,
            [1, 0, 2, 3].map(at => chunksOf(one)[at]),
          ),
      ],
      ['a chunk of another file', () => joined(one, [chunksOf(one)[0], chunksOf(two)[1], ...chunksOf(one).slice(2)])],
      ['the head of another file', () => joined(two, chunksOf(one))],
      ['only its head', () => one.subarray(0, head)],
      ['the begin of its head', () => one.subarray(0, head - 1)],
      ['a byte less', () => one.subarray(0, -1)],
      ['a byte more', () => Buffer.concat([one, Buffer.from([0])])],
      ['a changed bit of the salt', () => flipped(31)],
      ['a changed bit of the first chunk', () => flipped(head)],
      ['a changed bit of the last tag', () => flipped(one.length - 1)],
    ])('such as %s is refused', async (name, change) => {
      await expect(plainOf(fileOf(name, change()), key)).rejects.toThrow(/ends too early|damaged/);
    });

    test('of the key is refused', async () => {
      const path = fileOf('key', one);
      await expect(plainOf(path, otherKey)).rejects.toThrow('another BACKUP_KEY');
      await expect(plainOf(path, undefined)).rejects.toThrow('The backup is encrypted. Set BACKUP_KEY');
    });
  });
});

const gateway = await testGateway({ data: 'empty' });
const restored = await testDatabase('bare');
const refused = await testDatabase('bare');
const [person] = await createAccounts(gateway, [{ last_name: 'Unmistakable', allergies: 'penicillin '.repeat(99) }]);
const path = join(folder, 'all.backup');
const program = join(import.meta.dirname, '..', '..', 'scripts', 'portico.ts');
const portico = (url: string, args: string[], settings: Record<string, string> = { BACKUP_KEY: key }) =>
  promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder,
    // biome-ignore lint/style/noProcessEnv: a child needs the path of this process, and the database of this test.
    env: { PATH: process.env.PATH, DATABASE_URL: url, PORTICO_DATA: folder, SECRET_KEY: testSecret, ...settings },
  });
const made = await portico(gateway.databaseUrl, ['backup', path]);

/** Last names of people, and the number of tables. */
async function found(url: string): Promise<{ names: string[]; tables: number }> {
  const database = await openDatabase({ url, poolSize: 1, statementTimeoutMs: 0 });
  try {
    const tables = await sql<{ count: number }>`select count(*)::int from pg_class
      where relkind in ('r', 'p', 'S') and relnamespace = 'public'::regnamespace`.execute(database.sql);
    const count = tables.rows[0]?.count ?? -1;
    if (count === 0) return { names: [], tables: 0 };
    const { rows } = await sql<{ name: string }>`select last_name as name from users`.execute(database.sql);
    return { names: rows.map(({ name }) => name), tables: count };
  } finally {
    await database.close();
  }
}

test('a backup with a key has no readable part, and is restored with the key', async () => {
  expect(made.stdout).toContain('It is encrypted with BACKUP_KEY');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await isEncrypted(path)).toBe(true);
  const bytes = readFileSync(path);
  for (const part of ['Unmistakable', 'penicillin', 'migrations', Buffer.from([0x1f, 0x8b, 0x08, 0x00])])
    expect(bytes.includes(part)).toBe(false);
  const { stderr } = await portico(restored, ['restore', path]);
  expect(stderr).toBe('');
  expect((await found(restored)).names).toContain('Unmistakable');
  expect(person).toBeDefined();
});

test.each<[string, (all: Buffer) => Buffer, Record<string, string>, RegExp]>([
  ['without a key', all => all, { BACKUP_KEY: '' }, /is encrypted\. Set BACKUP_KEY/],
  ['with another key', all => all, { BACKUP_KEY: otherKey }, /another BACKUP_KEY/],
  ['cut off', all => all.subarray(0, all.length >> 1), { BACKUP_KEY: key }, /damaged, was changed, or ends too early/],
  [
    'changed',
    all => Buffer.from(all).fill(7, all.length - 40, all.length - 30),
    { BACKUP_KEY: key },
    /damaged, was changed, or ends too early/,
  ],
])(
  'a backup that is restored %s is refused in one sentence and leaves nothing behind',
  async (name, change, settings, message) => {
    const file = fileOf(`${name}.backup`, change(readFileSync(path)));
    const failure = await portico(refused, ['restore', file], settings).catch(error => error as object);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    expect((failure as { stderr: string }).stderr.trim().split('\n')).toHaveLength(1);
    expect((await found(refused)).tables).toBe(0);
  },
);

test('a backup that was not encrypted is restored as well, and it is told where a key is set', async () => {
  const plain = join(folder, 'plain.backup');
  const { stdout } = await portico(gateway.databaseUrl, ['backup', plain], {});
  expect(stdout).toContain('not encrypted');
  const { stderr } = await portico(refused, ['restore', plain]);
  expect(stderr).toMatch(/^The backup was not encrypted, although BACKUP_KEY is set[^\n]*\n$/);
  expect((await found(refused)).names).toContain('Unmistakable');
});
