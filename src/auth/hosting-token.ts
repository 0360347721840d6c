import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What stands in front of a token of each kind, so that people and scanners of leaked secrets know it when they see it. */
export const tokenPrefixes = {
  classic: 'hostp',
  fine_grained: 'host_pat',
  oauth: 'hosto',
  user_to_server: 'hostu',
  installation: 'hosts',
  workflow: 'hostw',
} as const;

export type TokenKind = keyof typeof tokenPrefixes;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^36 is 214 bits. */
const randomLength = 36;
const checksumLength = 6;

const kinds = new Map<string, TokenKind>(
  (Object.keys(tokenPrefixes) as TokenKind[]).map(kind => [tokenPrefixes[kind], kind]),
);
const form = new RegExp(`^(${[...kinds.keys()].join('|')})_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** What is kept of a token. */
export interface KeptToken {
  hash: Buffer;
  lastEight: string;
}

/** A new token: its text, which is shown once, and what is kept of it. */
export function mintToken(kind: TokenKind): { text: string; kept: KeptToken } {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return tokenOf(kind, random);
}

/** A token with this text in its random part: 36 letters and digits. For worlds whose secrets follow from another one. */
export function tokenOf(kind: TokenKind, random: string): { text: string; kept: KeptToken } {
  const body = `${tokenPrefixes[kind]}_${random}`;
  const text = body + checksum(body);
  return { text, kept: { hash: Buffer.from(tokenHash(text), 'base64url'), lastEight: text.slice(-8) } };
}

/**
 * The kind of a token that is written as ours are, checksum included; undefined for anything else. A typing error and a
 * guess are refused by this, before anything is asked of the database.
 */
export function tokenKind(text: string): TokenKind | undefined {
  const prefix = form.exec(text)?.[1];
  if (prefix === undefined) return undefined;
  const end = text.length - checksumLength;
  return checksum(text.slice(0, end)) === text.slice(end) ? kinds.get(prefix) : undefined;
}

/** SHA-256 as base64url: what a token is looked up by. A random text of 214 bits needs no slower hash. */
export function tokenHash(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** CRC-32 of everything before it, the prefix too, in base 62: a token with another prefix does not check out. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let at = 0; at < checksumLength; at++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Letters and digits out of bytes; one of 62 for each byte. */
export function lettersOf(bytes: Uint8Array): string {
  return Array.from(bytes, byte => alphabet[byte % 62]).join('');
}
