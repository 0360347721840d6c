import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request, Response } from 'express';
import { receiveBytes } from '../../rest-facade/engine/read-body.ts';
import type { AccessScope } from '../../schema/vocabulary/access.ts';
import { accessRules } from '../auth/access-rules.ts';
import type { Context } from '../context/context.ts';
import { serviceUnavailable } from '../errors/errors.ts';
import type { LargeInputs } from '../limits/variable-bounds.ts';
import { KeyedSlots, Semaphore } from '../workers/semaphore.ts';
import { callerKey } from './hosting-callers.ts';

/** Bodies that are on the disk, in all and of one caller: 2.5 GB and 160 MB. */
const arrivingSlots = { all: 64, perKey: 4 };

/** Bodies in memory: each takes up to six times its size. The others wait on the disk, where a slow client holds nothing else. */
const maxInMemory = 2;

/** Reads GraphQL requests that are larger than others may be. */
export class LargeGraphqlBodies {
  readonly #inputs: LargeInputs;
  readonly #arriving = new KeyedSlots(arrivingSlots);
  readonly #inMemory = new Semaphore(maxInMemory);

  constructor(inputs: LargeInputs) {
    this.#inputs = inputs;
  }

  /** Maximum bytes of a request of this caller; 0 for one who may use no field that takes large requests. */
  maxBytesFor(context: Context | undefined): number {
    const { access, maxBodyBytes } = this.#inputs;
    const isAdmitted =
      context !== undefined && [...access].some(word => accessRules[word as AccessScope].rule({}, context) === true);
    return isAdmitted ? maxBodyBytes : 0;
  }

  /**
   * Reads a body to a temporary file, and then into memory, where it stays until the response is closed.
   * @throws ProblemError too-large; ClientDisconnectedError; unavailable when the caller has too many of them
   */
  async read(request: Request, response: Response, context: Context, smallBytes: number): Promise<Buffer> {
    const maxBytes = this.maxBytesFor(context);
    let leave: (() => void) | undefined;
    // The first byte that is too many for a small body: the length of a chunked one is not known before.
    const file = new TemporaryFile(() => {
      leave = this.#arriving.take(callerKey(context));
      if (!leave)
        throw serviceUnavailable({ reason: 'large_requests' }, 'Too many large requests at a time. Try again.');
    });
    try {
      const whole = await receiveBytes(request, maxBytes, { reader: file, maxMemoryBytes: smallBytes });
      if (whole) return whole;
      const release = await this.#inMemory.acquire();
      if (response.destroyed) release();
      else response.once('close', release);
      return await file.read();
    } finally {
      leave?.();
      await file.close();
    }
  }
}

/** Unlinked as soon as it is open, so that nothing remains when the process ends. */
class TemporaryFile {
  readonly #beforeFirst: () => void;
  #handle: FileHandle | undefined;
  #size = 0;

  constructor(beforeFirst: () => void) {
    this.#beforeFirst = beforeFirst;
  }

  async take(bytes: Buffer): Promise<void> {
    if (!this.#handle) {
      this.#beforeFirst();
      const name = join(tmpdir(), `request-body-${randomUUID()}`);
      this.#handle = await open(name, 'wx+', 0o600);
      await unlink(name);
    }
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#size);
      at += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  async read(): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(this.#size);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = (await this.#handle?.read(bytes, at, bytes.length - at, at)) ?? { bytesRead: 0 };
      if (bytesRead === 0) throw new Error('A temporary file is shorter than the body written to it.');
      at += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}
