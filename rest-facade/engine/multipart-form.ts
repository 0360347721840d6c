import busboy from 'busboy';
import { ProblemError } from './problem.ts';
import type { QueryParameters } from './query-string.ts';

/** A file of a multipart form. */
interface UploadedFile {
  /** As its sender names it. */
  mediaType: string;
  bytes: Buffer;
}

/** The texts and files of a form, by their names. */
export interface FormBody {
  form: QueryParameters;
  files: Map<string, UploadedFile>;
}

/** More fields than any published form has by far. */
const maxParts = 1_000;

/** Reads a multipart form that is in memory already, which bounds its fields and files. Throws Failed for what is none. */
export function parseMultipart(type: string, bytes: Buffer): Promise<FormBody> {
  return new Promise((resolve, reject) => {
    const form: QueryParameters = new Map();
    const files = new Map<string, UploadedFile>();
    const refuse = (error: unknown): void =>
      reject(
        new ProblemError({
          kind: 'malformed',
          of: 'Multipart form',
          message: error instanceof Error ? error.message : String(error),
        }),
      );
    try {
      const parser = busboy({
        headers: { 'content-type': type },
        limits: { fieldSize: bytes.length, parts: maxParts },
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
      parser.on('partsLimit', () => refuse(`A form has ${maxParts} parts at most.`));
      parser.on('error', refuse);
      parser.on('close', () => resolve({ form, files }));
      parser.end(bytes);
    } catch (error) {
      refuse(error);
    }
  });
}
