import { type BatchToEncode, type EncodedBatch, encodeBatch } from './encode-batch.ts';

/** Entry point of the worker thread. A `Buffer` arrives as a plain Uint8Array. */
export function run(batch: BatchToEncode): EncodedBatch {
  const { archived } = batch;
  if (!archived) return encodeBatch(batch);
  const commit = { ...archived.commit, message: Buffer.from(archived.commit.message) };
  return encodeBatch({ ...batch, archived: { ...archived, commit } });
}
