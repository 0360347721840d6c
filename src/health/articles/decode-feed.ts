import { TextDecoder } from 'node:util';
import { stripControlCharacters } from './article-body.ts';

type DecodedFeed = { text: string } | { problem: string };

// 20 MB hold about 5,000 long articles; larger files are mistakes or attacks, and all processing is in memory.
const maxBytes = 20 * 1024 * 1024;
// Length of the prefix that is searched for an XML declaration.
const declarationBytes = 512;

/**
 * Decodes the bytes of a feed and removes control characters. A problem is a noun phrase that completes "found …". The
 * encoding is that of the byte order mark, else of the XML declaration, else UTF-8; bytes without any valid UTF-8 are
 * windows-1252.
 */
export function decodeFeed(bytes: Uint8Array): DecodedFeed {
  if (bytes.length > maxBytes) {
    return { problem: `a file of ${Math.ceil(bytes.length / 1024 / 1024)} MB, and at most 20 MB are read` };
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { problem: 'a gzip file, which must be unpacked first' };
  const decoded = decode(bytes);
  if ('problem' in decoded) return decoded;
  const text = stripControlCharacters(decoded.text);
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
  const marked = first === 0xef && second === 0xbb && third === 0xbf;
  const label = marked ? 'utf-8' : declaredEncoding(bytes);
  const decoder = findDecoder(label);
  // A declaration that is readable byte by byte is not UTF-16, whatever label it has (`unicode` means UTF-16 too).
  if (decoder && !decoder.encoding.startsWith('utf-')) return { text: decoder.decode(bytes) };
  const text = decodeUtf8OrWindows1252(bytes);
  if (decoder || !text.includes('\uFFFD')) return { text };
  return { problem: `an encoding that is not known, "${label.slice(0, 40)}"` };
}

function findDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function declaredEncoding(bytes: Uint8Array): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, declarationBytes));
  return /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)["']/i.exec(start)?.[1]?.trim() ?? 'utf-8';
}

/**
 * One invalid byte must not turn a UTF-8 file into mojibake; a file without any valid multi-byte character is not
 * UTF-8.
 */
function decodeUtf8OrWindows1252(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(bytes);
  if (!text.includes('\uFFFD') || /[\u0080-\uFFFC]/.test(text)) return text;
  return new TextDecoder('windows-1252').decode(bytes);
}
