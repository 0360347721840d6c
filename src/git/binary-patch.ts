import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const compress = promisify(deflate);

/** Bytes of one line: git writes their number as one letter. */
const lineBytes = 52;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

/**
 * The `GIT binary patch` that replaces one content by another, and back, without the line feed at its end. Both are written as a
 * whole, never as a delta: git reads either.
 */
export async function formatBinaryPatch(before: Buffer, after: Buffer): Promise<string> {
  return `GIT binary patch\n${await formatLiteral(after)}\n${await formatLiteral(before)}`;
}

async function formatLiteral(content: Buffer): Promise<string> {
  const bytes = await compress(content);
  const lines = [`literal ${content.length}\n`];
  for (let at = 0; at < bytes.length; at += lineBytes) {
    const line = bytes.subarray(at, at + lineBytes);
    const length = String.fromCharCode(line.length <= 26 ? 64 + line.length : 70 + line.length);
    lines.push(`${length}${encodeBase85(line)}\n`);
  }
  return lines.join('');
}

/** Base 85 as git has it: five digits for four bytes, the last of them filled up with zeros. */
function encodeBase85(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    let number = 0;
    for (let place = 0; place < 4; place++) number = number * 256 + (bytes[at + place] ?? 0);
    let group = '';
    for (let place = 0; place < 5; place++) {
      group = digits.charAt(number % 85) + group;
      number = Math.floor(number / 85);
    }
    text += group;
  }
  return text;
}
