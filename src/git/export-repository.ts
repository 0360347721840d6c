import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createDeflate } from 'node:zlib';
import { type ObjectType, type Oid, objectHeader } from './object.ts';
import { reachableObjects } from './reachable.ts';
import { chunkBytes, findObjects, missingObject, openBlob, statObjects } from './read-objects.ts';
import { listRefs, type Ref } from './refs.ts';
import type { Repository } from './repository.ts';

/** Objects and refs per statement. */
const rowsPerRead = 200;

/**
 * Writes a bare repository into an empty or new directory: all refs, and every object they reach, as loose objects.
 * `head` is the full name of the branch that HEAD points to.
 */
export async function exportRepository(
  repository: Repository,
  folder: string,
  { head = 'refs/heads/main' }: { head?: string } = {},
): Promise<{ objects: number; refs: number }> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty.`);
  await mkdir(join(folder, 'objects', 'info'), { recursive: true });
  await mkdir(join(folder, 'refs', 'heads'), { recursive: true });
  await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n');
  await writeFile(join(folder, 'HEAD'), `ref: ${head}\n`);
  const refs: Ref[] = [];
  for (;;) {
    const after = refs.at(-1)?.name;
    const page = await listRefs(repository, { limit: rowsPerRead, ...(after === undefined ? {} : { after }) });
    refs.push(...page);
    if (page.length < rowsPerRead) break;
  }
  await writeFile(
    join(folder, 'packed-refs'),
    `# pack-refs with: sorted\n${refs.map(({ name, oid }) => `${oid} ${name}\n`).join('')}`,
  );
  let objects = 0;
  let pending: Oid[] = [];
  for await (const { oid } of reachableObjects(
    repository,
    refs.map(ref => ref.oid),
  )) {
    objects++;
    pending.push(oid);
    if (pending.length < rowsPerRead) continue;
    await writeLooseObjects(repository, folder, pending);
    pending = [];
  }
  await writeLooseObjects(repository, folder, pending);
  return { objects, refs: refs.length };
}

async function writeLooseObjects(repository: Repository, folder: string, oids: readonly Oid[]): Promise<void> {
  const stats = await statObjects(repository, oids);
  const isLarge = (oid: Oid): boolean => stats.get(oid)?.type === 'blob' && (stats.get(oid)?.size ?? 0) > chunkBytes;
  const found = await findObjects(
    repository,
    oids.filter(oid => !isLarge(oid)),
  );
  for (const oid of oids) {
    const object = found.get(oid);
    if (object) await writeLoose(folder, oid, object.type, { size: object.content.length, pieces: [object.content] });
    else await writeLargeBlob(repository, folder, oid);
  }
}

async function writeLargeBlob(repository: Repository, folder: string, oid: Oid): Promise<void> {
  const blob = await openBlob(repository, oid);
  if (!blob) throw missingObject(oid);
  await writeLoose(folder, oid, 'blob', { size: blob.size, pieces: blob.pieces() });
}

async function writeLoose(
  folder: string,
  oid: Oid,
  type: ObjectType,
  { size, pieces }: { size: number; pieces: Iterable<Buffer> | AsyncIterable<Buffer> },
): Promise<void> {
  const file = join(folder, 'objects', oid.slice(0, 2), oid.slice(2));
  await mkdir(dirname(file), { recursive: true });
  const content = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(objectHeader(type, size));
    yield* pieces;
  };
  await pipeline(content, createDeflate(), createWriteStream(file));
}
