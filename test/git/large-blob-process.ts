import 'reflect-metadata';
import { createHash, randomBytes } from 'node:crypto';

/**
 * Writes a generated blob of 90 MB into the database at argv[2], reads it back, and prints the memory it took. A
 * separate process, so that its memory is only what these two need. It runs the compiled code, because Node.js does not
 * strip decorators.
 */
const [{ inTransaction, openDatabase }, { writeBlob }, { openBlob }, { openRepository, unlimitedSource }] =
  await Promise.all([
    import('../../dist/src/db/database.js' as string) as Promise<typeof import('../../src/db/database.ts')>,
    import('../../dist/src/git/write-blob.js' as string) as Promise<typeof import('../../src/git/write-blob.ts')>,
    import('../../dist/src/git/open-blob.js' as string) as Promise<typeof import('../../src/git/open-blob.ts')>,
    import('../../dist/src/git/repository.js' as string) as Promise<typeof import('../../src/git/repository.ts')>,
  ]);
const size = 90 * 1024 * 1024;
const database = await openDatabase({ url: process.argv[2] ?? '', poolSize: 2, statementTimeoutMs: 60_000 });
const before = process.memoryUsage.rss();
let most = before;
const look = (): void => {
  most = Math.max(most, process.memoryUsage.rss());
};

const noise = randomBytes(300_000);
const words = Buffer.from('words that repeat, '.repeat(10_000));

/**
 * Pieces of an odd size, half of them incompressible. The buffers are reused, so that the generator itself needs no
 * memory.
 */
function* content(): Generator<Buffer> {
  for (let at = 0; at < size; ) {
    const from = at % 100_000;
    const piece = (from % 2 === 0 ? noise : words).subarray(from, from + Math.min(77_777, size - at));
    at += piece.length;
    look();
    yield piece;
  }
}

const oid = await inTransaction(database, db => writeBlob({ db, repositoryId: 1, now: new Date() }, size, content()));
const read = createHash('sha1').update(`blob ${size}\0`);
let length = 0;
const blob = await openBlob(openRepository(unlimitedSource(database.read), 1), oid);
for await (const piece of blob?.pieces() ?? []) {
  read.update(piece);
  length += piece.length;
  look();
}
await database.close();
process.stdout.write(JSON.stringify({ isSame: read.digest('hex') === oid, length, before, most }));
