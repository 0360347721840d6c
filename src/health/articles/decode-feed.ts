import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';
import { stripControlCharacters } from './control-characters.ts';

type DecodedFeed = { text: string } | { problem: string };

// 20 MB hold about 5,000 long articles; larger files are mistakes or attacks, and all processing is in memory.
const maxBytes = 20 * 1024 * 1024;
// Length of the prefix that is searched for an XML declaration.
const declarationBytes = 512;

/**
 * Decodes the bytes of a feed and removes control characters. A problem is a noun phrase that completes "found …". The
 * encoding is that of the byte order mark; else UTF-8 where the bytes are that, whatever is declared; else that of the XML
 * declaration; else the one of the languages that use these bytes, and windows-1252 where none can be told.
 */
export function decodeFeed(bytes: Uint8Array): DecodedFeed {
  if (bytes.length > maxBytes) {
    return { problem: `a file of ${Math.ceil(bytes.length / 1024 / 1024)} MB, and at most 20 MB are read` };
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { problem: 'a gzip file, which must be unpacked first' };
  const decoded = decode(bytes);
  if ('problem' in decoded) return decoded;
  // The override that shows digits in reverse order must be seen by those who read the text: written out, it stays.
  const override = /^\s*[{[]/.test(decoded.text) ? '\\u202E' : '&#x202E;';
  const text = stripControlCharacters(decoded.text.replaceAll('\u202E', override));
  return text.trim() === '' ? { problem: 'an empty file' } : { text };
}

function decode(bytes: Uint8Array): DecodedFeed {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) return { problem: 'UTF-32 text' };
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) };
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes) };
  // UTF-16 without a byte order mark: of the first two characters, `<?` or `<r`, every other byte is zero.
  if (first === 0x3c && second === 0 && fourth === 0) return { text: new TextDecoder('utf-16le').decode(bytes) };
  if (first === 0 && second === 0x3c && third === 0) return { text: new TextDecoder('utf-16be').decode(bytes) };
  if (first === 0xef && second === 0xbb && third === 0xbf) return { text: new TextDecoder('utf-8').decode(bytes) };
  // Text of another encoding that happens to be valid UTF-8 is next to impossible; a wrong declaration is common.
  const utf8 = decodeStrictly('utf-8', bytes);
  if (utf8 !== null) return { text: utf8 };
  const label = declaredEncoding(bytes);
  // A declaration that is readable byte by byte is not UTF-16, whatever label it has (`unicode` means UTF-16 too).
  if (label === null || /^(?:utf|unicode|ucs|us-ascii|ascii|ansi$)/i.test(label))
    return { text: decodeUndeclared(bytes) };
  if (isLatin(label) && !isMostlyAscii(bytes)) return { text: decodeUndeclared(bytes, 25, label) };
  const text = decodeAs(label, bytes);
  return text === null ? { problem: `an encoding that is not known, "${label.slice(0, 40)}"` } : { text };
}

function decodeStrictly(label: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Null for a label that is not known. iconv-lite knows `cp-1251`, `win1250`, `cp850` and others that the web does not use. */
function decodeAs(label: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    const known = label.replace(/^(?:x|ms|ibm)-(?=cp|win)/i, '');
    return iconv.encodingExists(known) ? iconv.decode(Buffer.from(bytes), known) : null;
  }
}

function declaredEncoding(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, declarationBytes));
  return /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)["']/i.exec(start)?.[1]?.trim().replace(/_/g, '-') ?? null;
}

const isLatin = (label: string): boolean => /^(?:iso-?8859-1|latin-?1|windows-1252|cp-?1252|l1)$/i.test(label);

/** Bytes beyond ASCII are a tenth of the letters in European languages, and most of them in others. */
function isMostlyAscii(bytes: Uint8Array): boolean {
  let letters = 0;
  let others = 0;
  for (const byte of textSample(bytes)) {
    if (byte >= 0x80) others += 1;
    else if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) letters += 1;
  }
  return others * 2 < letters;
}

/**
 * Bytes that are not UTF-8 throughout. One invalid byte must not turn a UTF-8 file into mojibake; a file in which most characters
 * are invalid is not UTF-8.
 */
function decodeUndeclared(bytes: Uint8Array, minConfidence = 20, declared = 'windows-1252'): string {
  const text = new TextDecoder('utf-8').decode(bytes);
  const broken = text.match(/\uFFFD/g)?.length ?? 0;
  if ((text.match(/[\u0080-\uFFFC]/g)?.length ?? 0) > broken) return text;
  const guesses = analyse(textSample(bytes)).filter(({ name }) => !/^(?:UTF|ASCII)/.test(name));
  const latin = guesses.find(({ name }) => /^(?:ISO-8859-1|windows-1252)$/.test(name))?.confidence ?? 0;
  const [best] = guesses;
  // Of two languages that are as likely, the one in Latin letters: it has the larger share of all feeds.
  const label = best && best.confidence >= minConfidence && best.confidence > latin ? best.name : declared;
  return decodeAs(label, bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

const sampleBytes = 100_000;

/** What is between the tags: names of elements are English whatever the language. */
function textSample(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(sampleBytes);
  let length = 0;
  let inTag = false;
  for (let at = 0; at < bytes.length && length < sampleBytes; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x3c) inTag = true;
    else if (byte === 0x3e) inTag = false;
    if (!inTag || byte >= 0x80) sample[length++] = byte;
  }
  return sample.subarray(0, length);
}
