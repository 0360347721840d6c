import type { Request, Response } from 'express';
import { ClientDisconnectedError, receiveBytes, TempFile } from 'operation-rest';
import type { AccessScope } from '../../schema/vocabulary/access.ts';
import { decideAccess } from '../auth/access-rules.ts';
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
  async maxBytesFor(context: Context | undefined): Promise<number> {
    const { access, maxBodyBytes } = this.#inputs;
    if (!context) return 0;
    for (const word of access) if ((await decideAccess(word as AccessScope, context)) === true) return maxBodyBytes;
    return 0;
  }

  /**
   * Reads a body of up to `maxBytes`: to a temporary file, and then into memory, where it stays until the response is closed; one of
   * up to `smallBytes` at once.
   * @throws ProblemError too-large; ClientDisconnectedError; GraphQLError when the caller sends too many of them
   */
  async read(
    request: Request,
    response: Response,
    { context, maxBytes, smallBytes }: { context: Context; maxBytes: number; smallBytes: number },
  ): Promise<Buffer> {
    let leave: (() => void) | undefined;
    let file: TempFile | undefined;
    // Called with the first byte that is too many for a small body: the length of a chunked one is not known before.
    const take = async (bytes: Buffer): Promise<void> => {
      leave ??= this.#arriving.take(callerKey(context));
      if (!leave)
        throw serviceUnavailable({ reason: 'large_requests' }, 'Too many large requests at a time. Try again.');
      file ??= await TempFile.open();
      await file.append(bytes);
    };
    try {
      const small = await receiveBytes(request, maxBytes, { reader: { take }, maxMemoryBytes: smallBytes });
      if (!file) return small ?? Buffer.alloc(0);
      const release = await this.#inMemory.acquire();
      if (response.destroyed) {
        release();
        throw new ClientDisconnectedError();
      }
      response.once('close', release);
      return await file.readAll();
    } finally {
      leave?.();
      await file?.close();
    }
  }
}
