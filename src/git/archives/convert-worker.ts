import { convertContent, type FileToConvert } from './conversions.ts';

/** Entry point of the worker thread. A `Buffer` arrives as a plain Uint8Array. */
export function run({ content, conversion, oid, archived }: FileToConvert): Uint8Array {
  const commit = { ...archived.commit, message: Buffer.from(archived.commit.message) };
  return convertContent(Buffer.from(content), conversion, { oid, archived: { ...archived, commit } });
}
