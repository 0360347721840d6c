import busboy from 'busboy';
import { type MalformedReason, ProblemError } from './problem.ts';
import type { QueryParameters } from './query-string.ts';

interface UploadedFile {
  /** As the sender declares it. */
  mediaType: string;
  bytes: Buffer;
}

/** The texts and files of a form, by name. */
export interface FormBody {
  fields: QueryParameters;
  files: Map<string, UploadedFile>;
}

/** Far more than any published form has. */
const maxParts = 1_000;

/**
 * Parses a multipart form that is in memory already, which bounds the size of its fields and files.
 * @throws ProblemError for a malformed form
 */
export function parseMultipart(contentType: string, bytes: Buffer): Promise<FormBody> {
  return new Promise((resolve, reject) => {
    const fields: QueryParameters = new Map();
    const files = new Map<string, UploadedFile>();
    const refuse = (reason: MalformedReason): void =>
      reject(new ProblemError({ kind: 'malformed', format: 'Multipart form', reason }));
    const refuseSyntax = (error: unknown): void =>
      refuse({ is: 'syntax', message: error instanceof Error ? error.message : String(error) });
    try {
      const parser = busboy({
        headers: { 'content-type': contentType },
        limits: { fieldSize: bytes.length, parts: maxParts },
      });
      parser.on('field', (name, value) => fields.set(name, [...(fields.get(name) ?? []), value]));
      parser.on('file', (name, stream, { mimeType, filename }) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          // What browsers send for a file input without a file.
          if (filename === undefined && chunks.length === 0) return;
          files.set(name, { mediaType: mimeType, bytes: Buffer.concat(chunks) });
        });
        // A form that ends within a file fails here too; an unhandled `error` event would end the process.
        stream.on('error', refuseSyntax);
      });
      parser.on('partsLimit', () => refuse({ is: 'parts', max: maxParts }));
      parser.on('error', refuseSyntax);
      parser.on('close', () => resolve({ fields, files }));
      parser.end(bytes);
    } catch (error) {
      refuseSyntax(error);
    }
  });
}
