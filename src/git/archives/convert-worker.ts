import { convertContent, type FileToConvert } from './conversions.ts';

/** Runs on a thread of the pool. What was a `Buffer` comes over as the plain array that it is. */
export function run({ content, conversion, oid, archived }: FileToConvert): Uint8Array {
  const commit = { ...archived.commit, message: Buffer.from(archived.commit.message) };
  return convertContent(Buffer.from(content), conversion, { oid, archived: { ...archived, commit } });
}
