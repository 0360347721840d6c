import busboy from 'busboy';
import { nextEventLoopTurn } from './event-loop-turn.ts';
import { type MalformedReason, ProblemError } from './problem.ts';
import { addFormText, type FormTexts } from './query-string.ts';

interface UploadedFile {
  /** As the sender declares it. */
  mediaType: string;
  bytes: Buffer;
}

/** The texts and files of a form, by name. */
export interface FormBody extends FormTexts {
  files: Map<string, UploadedFile>;
}

/** Far more than any published form has. */
const maxParts = 1_000;
/** Header fields of a part; browsers send two. */
const maxPartHeaders = 20;
/** Bytes that are parsed in one turn of the event loop: 2 ms of the worst that was found. 7 MB took 205 ms. */
const bytesPerTurn = 64 * 1024;
/** Texts with U+FFFD that are looked for in the body; more are refused. A search takes 2 ms. */
const maxSearches = 20;
/** RFC 2046, 5.1.1. The search for a boundary of 10,000 letters passes over the same bytes again and again. */
const longBoundary = /;\s*boundary\s*=\s*(?:"[^"]{71}|[^";\s]{71})/i;

/**
 * Parses a multipart form that is in memory already, which bounds the size of its files.
 * @param maxTextBytes of all fields together, with their names
 * @throws ProblemError too-large, malformed
 */
export async function parseMultipart(contentType: string, bytes: Buffer, maxTextBytes: number): Promise<FormBody> {
  const texts: FormTexts = { fields: new Map(), bracketed: new Map() };
  const files = new Map<string, UploadedFile>();
  let refused: ProblemError | undefined;
  const refuse = (reason: MalformedReason): void => {
    refused ??= new ProblemError({ kind: 'malformed', format: 'Multipart form', reason });
  };
  let textBytes = 0;
  let searches = 0;
  /** Whether a text has U+FFFD that was not sent, but stands for bytes that are not UTF-8: the text is not in the body as it is. */
  const isReplaced = (text: string): boolean =>
    text.includes('\ufffd') && (++searches > maxSearches || !bytes.includes(text, 'utf8'));
  const refuseSyntax = (error: unknown): void =>
    refuse({ is: 'syntax', message: error instanceof Error ? error.message : String(error) });
  if (longBoundary.test(contentType)) refuse({ is: 'syntax', message: 'A boundary has 70 characters at most' });
  const parser = refused ? undefined : openParser(contentType, maxTextBytes, refuseSyntax);
  if (parser) {
    parser.on('field', (name, value, { valueTruncated }) => {
      // A part without a name has undefined, which the types of busboy do not say.
      textBytes += Buffer.byteLength(String(name)) + Buffer.byteLength(value);
      if (valueTruncated || textBytes > maxTextBytes)
        refused ??= new ProblemError({ kind: 'too-large', maxBytes: maxTextBytes });
      else if (isReplaced(value)) refuse({ is: 'encoding' });
      addFormText(texts, String(name), value);
    });
    parser.on('file', (name, stream, { mimeType, filename }) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        // What browsers send for a file input without a file.
        if (filename === undefined && chunks.length === 0) return;
        if (name?.includes('[')) addFormText(texts, name, '');
        files.set(name, { mediaType: mimeType, bytes: Buffer.concat(chunks) });
      });
      // A form that ends within a file fails here too; an unhandled `error` event would end the process.
      stream.on('error', refuseSyntax);
    });
    parser.on('partsLimit', () => refuse({ is: 'parts', max: maxParts }));
    parser.on('error', refuseSyntax);
    const closed = new Promise(resolve => parser.once('close', resolve).once('error', resolve));
    for (let at = 0; at < bytes.length && !refused; at += bytesPerTurn) {
      if (at > 0) await nextEventLoopTurn();
      parser.write(bytes.subarray(at, at + bytesPerTurn));
    }
    if (refused) parser.destroy();
    else {
      parser.end();
      await closed;
    }
  }
  if (refused) throw refused;
  return { ...texts, files };
}

function openParser(contentType: string, fieldSize: number, refuse: (error: unknown) => void) {
  const limits = { fieldSize, parts: maxParts, headerPairs: maxPartHeaders };
  try {
    return busboy({ headers: { 'content-type': contentType }, limits });
  } catch (error) {
    refuse(error);
    return undefined;
  }
}
