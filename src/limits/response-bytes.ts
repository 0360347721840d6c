/**
 * Bytes of one GraphQL answer. Twice what a document may load of large values: a value may stand in it twice, and 25,000 objects
 * of usual size have less than half of that. The main thread writes it at once: 16 MB take some 80 ms.
 */
export const maxResponseBytes = 16 * 1024 * 1024;

/** Bytes of a number, a boolean or null with what separates it, about. */
const scalarBytes = 8;
/** Quotes, a colon or a comma around a text. */
const textOverheadBytes = 4;

/** Characters up to which a text counts as one byte each: to look at every short text would take longer than to write it. */
const maxUncountedLength = 1_000;
/** A control character is written as `\u0001`, five bytes more than it has. */
const controlEscapeBytes = 5;

/**
 * What is left of so many bytes once a value is written as JSON, about: long texts count as they are written, save for quotes and
 * line ends, which count as one byte. Without that 16 MB of control characters were an answer of 96 MB. Negative when there were
 * too few, which ends it. Takes half the time of writing.
 */
export function remainingBytes(value: unknown, left: number): number {
  if (typeof value === 'string') return left - textBytes(value) - textOverheadBytes;
  if (typeof value !== 'object' || value === null) return left - scalarBytes;
  let rest = left;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at++) rest = remainingBytes(value[at], rest);
    return rest;
  }
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    if (rest < 0) break;
    rest = remainingBytes(fields[name], rest - name.length - textOverheadBytes);
  }
  return rest;
}

function textBytes(text: string): number {
  if (text.length <= maxUncountedLength) return text.length;
  let controls = 0;
  for (let at = 0; at < text.length; at++) if (isLongEscape(text.charCodeAt(at))) controls++;
  return Buffer.byteLength(text) + controls * controlEscapeBytes;
}

/** Of the control characters five have a short escape: \b, \t, \n, \f and \r. */
function isLongEscape(code: number): boolean {
  return code < 0x20 && (code < 0x08 || code > 0x0d || code === 0x0b);
}
