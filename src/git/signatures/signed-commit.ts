import { unfold } from '../commit.ts';

/** A commit split into the signed payload and the signature. Bytes, because the encoding is unknown. */
export interface SignedCommit {
  /** The commit without its signature headers: the bytes that were signed. */
  payload: Buffer;
  /** The armored signature, without the leading spaces of continuation lines. */
  signature: Buffer;
}

/** Undefined for an unsigned commit. */
export function splitSignature(content: Buffer): SignedCommit | undefined {
  const kept: Buffer[] = [];
  const armor: Buffer[] = [];
  let keptFrom = 0;
  // Only headers: the message may contain anything.
  for (let at = 0; at < content.length && content[at] !== lineFeed; ) {
    let end = endOfLine(content, at);
    while (content[end] === blank) end = endOfLine(content, end);
    const name = signatureHeader(content, at);
    if (name !== undefined) {
      kept.push(content.subarray(keptFrom, at));
      keptFrom = end;
    }
    if (name === 'gpgsig') armor.push(unfold(content.subarray(at + 'gpgsig '.length, end - 1)), newline);
    at = end;
  }
  if (armor.length === 0) return undefined;
  return {
    payload: Buffer.concat([...kept, content.subarray(keptFrom)]),
    signature: Buffer.concat(armor).subarray(0, -1),
  };
}

const lineFeed = 0x0a;
const blank = 0x20;
const newline = Buffer.from('\n');

function endOfLine(content: Buffer, at: number): number {
  const end = content.indexOf(lineFeed, at);
  return end < 0 ? content.length : end + 1;
}

function signatureHeader(content: Buffer, at: number): 'gpgsig' | 'gpgsig-sha256' | undefined {
  if (content[at] !== 0x67) return undefined;
  const start = content.toString('latin1', at, at + 'gpgsig-sha256 '.length);
  if (start.startsWith('gpgsig ')) return 'gpgsig';
  // The signature for SHA-256 repositories: not verified here, and never part of the payload.
  return start === 'gpgsig-sha256 ' ? 'gpgsig-sha256' : undefined;
}

/**
 * Maximum characters of a signature. One of RSA with 4,096 bits has 900; parsing a megabyte of PGP packets takes 0.2 s, 16 KB 3 ms.
 */
const maxArmorChars = 16 * 1024;

/** The text between the armor lines; undefined unless `armor` is exactly one armor of this name, of at most `maxArmorChars`. */
export function armorBody(armor: string, name: string): string | undefined {
  if (armor.length > maxArmorChars) return undefined;
  const begin = `-----BEGIN ${name}-----`;
  const end = `-----END ${name}-----`;
  const trimmed = armor.trimEnd();
  if (!trimmed.startsWith(`${begin}\n`) && !trimmed.startsWith(`${begin}\r\n`)) return undefined;
  const body = trimmed.slice(begin.length, -end.length);
  return trimmed.endsWith(end) && /\n$/.test(body) && !body.includes('-----') ? body : undefined;
}
