import { type FileHandle, open } from 'node:fs/promises';

/** A pack that is refused. The lines are for the person who pushes. */
export class RefusedPackError extends Error {
  override name = 'RefusedPackError';
  readonly lines: readonly string[];

  /** @param reason one line, after `unpack` */
  constructor(reason: string, lines: readonly string[] = []) {
    super(reason);
    this.lines = lines;
  }
}

/** `PACK`, the version and the number of objects. */
const packHeaderBytes = 12;

/**
 * The pack, when its header is one and does not announce too many objects. Otherwise its rest is read and not kept: a client reads the
 * answer only after it has sent everything. No process starts for it.
 * @throws RefusedPackError
 */
export async function checkHeader(given: AsyncIterable<Buffer>, maxObjects: number): Promise<AsyncIterable<Buffer>> {
  const pack = given[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < packHeaderBytes) {
    const { value, done } = await pack.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const isPack = head.length >= packHeaderBytes && head.toString('latin1', 0, 4) === 'PACK';
  if (!isPack || head.readUInt32BE(8) > maxObjects) {
    for (let part = await pack.next(); !part.done; part = await pack.next());
    if (!isPack) throw damagedPack();
    throw new RefusedPackError('too many objects', [
      `error: A push has at most ${maxObjects} objects. Push fewer commits at a time, or import the repository.`,
    ]);
  }
  return (async function* () {
    yield head;
    for (let part = await pack.next(); !part.done; part = await pack.next()) yield part.value;
  })();
}

/**
 * Writes a pack to a file and returns its bytes. A pack that is too large, or has no room, is read to its end all the same: a client
 * reads the answer only after it has sent everything.
 * @throws RefusedPackError
 */
export async function writePack(path: string, pack: AsyncIterable<Buffer>, maxBytes: number): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  let refusal: RefusedPackError | undefined;
  try {
    for await (const chunk of pack) {
      if (refusal) continue;
      bytes += chunk.length;
      if (bytes > maxBytes) refusal = tooLargePack(maxBytes);
      else refusal = await writeChunk(file, chunk);
    }
  } finally {
    await file.close();
  }
  if (refusal) throw refusal;
  return bytes;
}

async function writeChunk(file: FileHandle, chunk: Buffer): Promise<RefusedPackError | undefined> {
  try {
    await file.writeFile(chunk);
    return undefined;
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown }).code))) return noRoom();
    throw error;
  }
}

const tooLargePack = (maxBytes: number): RefusedPackError =>
  new RefusedPackError('pack exceeds maximum allowed size', [
    `error: A push may have ${Math.floor(maxBytes / 1024 / 1024)} MB. Push fewer commits at a time.`,
  ]);

export const noRoom = (): RefusedPackError => new RefusedPackError('The server has no room for the pack.');

export const damagedPack = (): RefusedPackError => new RefusedPackError('The pack is damaged or incomplete.');
