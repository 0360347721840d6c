import { createCipheriv, createDecipheriv, createHmac, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import { BackupFileError } from './backup-file-error.ts';

/**
 * The head of an encrypted file: a line that names the format, the salt of the key, and a check of the key. Chunks of 64 KiB follow, each
 * encrypted with AES-256-GCM and followed by its tag. As in the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015), the nonce
 * is the number of the chunk and whether it is the last, so that chunks can be neither moved nor left out at either end. The salt gives
 * each file a key of its own.
 */
const format = Buffer.from('portico backup, aes-256-gcm 1\n');
const saltBytes = 16;
const checkBytes = 16;
const headBytes = format.length + saltBytes + checkBytes;
const chunkBytes = 65_536;
const tagBytes = 16;

/** 64 MiB and some 0.2 s for each guess of a key that somebody has chosen by hand. */
const cost: ScryptOptions = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
const stretched = promisify(scrypt) as (
  key: string,
  salt: Buffer,
  bytes: number,
  cost: ScryptOptions,
) => Promise<Buffer>;

async function deriveKey(backupKey: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  const key = await stretched(backupKey, salt, 32, cost);
  return { key, check: createHmac('sha256', key).update('check').digest().subarray(0, checkBytes) };
}

function nonceOf(chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(chunk, 7);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Encrypts what is written to it, head included. */
export async function encryption(backupKey: string): Promise<Transform> {
  const salt = randomBytes(saltBytes);
  const { key, check } = await deriveKey(backupKey, salt);
  const encrypt = (chunk: Buffer, number: number, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, isLast), { authTagLength: tagBytes });
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  };
  const stream = chunked(chunkBytes, encrypt);
  stream.push(Buffer.concat([format, salt, check]));
  return stream;
}

function decryption(key: Buffer): Transform {
  return chunked(chunkBytes + tagBytes, (chunk, number, isLast) => {
    if (chunk.length < tagBytes) throw new BackupFileError('The backup ends too early.');
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast), { authTagLength: tagBytes });
    decipher.setAuthTag(chunk.subarray(-tagBytes));
    try {
      return Buffer.concat([decipher.update(chunk.subarray(0, -tagBytes)), decipher.final()]);
    } catch {
      throw new BackupFileError('The backup is damaged, was changed, or ends too early.');
    }
  });
}

/** Cuts a stream into pieces of `size` bytes and a last one, which has 1 to `size` bytes, or none where the stream is empty. */
function chunked(size: number, convert: (piece: Buffer, number: number, isLast: boolean) => Buffer): Transform {
  let parts: Buffer[] = [];
  let waiting = 0;
  let number = 0;
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      parts.push(bytes);
      waiting += bytes.length;
      if (waiting <= size) return done();
      const all = Buffer.concat(parts);
      let at = 0;
      try {
        // The end of the stream decides what the last piece is.
        for (; all.length - at > size; at += size) this.push(convert(all.subarray(at, at + size), number++, false));
      } catch (error) {
        return done(error as Error);
      }
      parts = [all.subarray(at)];
      waiting = all.length - at;
      done();
    },
    flush(done) {
      try {
        done(null, convert(Buffer.concat(parts), number, true));
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/** Whether a file begins as one of `encryption` does. */
export async function isEncrypted(path: string): Promise<boolean> {
  return namesFormat(await headOf(path));
}

const namesFormat = (head: Buffer): boolean => head.subarray(0, format.length).equals(format);

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * The content of a file, decrypted where it is encrypted. Nothing is returned of a chunk whose tag is wrong.
 * @throws BackupFileError, which the stream throws as well
 */
export async function readPlain(path: string, backupKey: string | undefined): Promise<Readable> {
  const head = await headOf(path);
  if (!namesFormat(head)) return createReadStream(path);
  if (backupKey === undefined)
    throw new BackupFileError('The backup is encrypted. Set BACKUP_KEY to the key that it was made with.');
  if (head.length < headBytes) throw new BackupFileError('The backup ends too early.');
  const salt = head.subarray(format.length, format.length + saltBytes);
  const { key, check } = await deriveKey(backupKey, salt);
  if (!check.equals(head.subarray(-checkBytes)))
    throw new BackupFileError('The backup was made with another BACKUP_KEY, or the begin of the file is damaged.');
  const plain = decryption(key);
  // An error of the file reaches the reader by `plain`, which it destroys.
  pipeline(createReadStream(path, { start: headBytes }), plain, () => {});
  return plain;
}
