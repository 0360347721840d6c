import busboy from 'busboy';
import { Failed } from './failure.ts';
import type { Query } from './query.ts';

/** A file of a multipart form. */
interface FileValue {
  /** As its sender names it. */
  mediaType: string;
  bytes: Buffer;
}

/** The texts and files of a form, by their names. */
export interface Form {
  form: Query;
  files: Map<string, FileValue>;
}

/** More fields than any published form has by far. */
const mostParts = 1_000;

/** Reads a multipart form that is in memory already, which bounds its fields and files. Throws Failed for what is none. */
export function readMultipart(type: string, bytes: Buffer): Promise<Form> {
  return new Promise((resolve, reject) => {
    const form: Query = new Map();
    const files = new Map<string, FileValue>();
    const refuse = (error: unknown): void =>
      reject(
        new Failed({
          kind: 'malformed',
          of: 'Multipart form',
          message: error instanceof Error ? error.message : String(error),
        }),
      );
    try {
      const parser = busboy({
        headers: { 'content-type': type },
        limits: { fieldSize: bytes.length, parts: mostParts },
      });
      parser.on('field', (name, value) => form.set(name, [...(form.get(name) ?? []), value]));
      parser.on('file', (name, stream, { mimeType, filename }) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          // What browsers send for a place in which no file was put.
          if (filename === undefined && chunks.length === 0) return;
          files.set(name, { mediaType: mimeType, bytes: Buffer.concat(chunks) });
        });
        // A form that ends within a file fails here as well, and an error that nobody hears ends the process.
        stream.on('error', refuse);
      });
      parser.on('partsLimit', () => refuse(`A form has ${mostParts} parts at most.`));
      parser.on('error', refuse);
      parser.on('close', () => resolve({ form, files }));
      parser.end(bytes);
    } catch (error) {
      refuse(error);
    }
  });
}
