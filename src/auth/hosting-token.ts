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

const kindByPrefix = new Map<string, TokenKind>(
  (Object.keys(tokenPrefixes) as TokenKind[]).map(kind => [tokenPrefixes[kind], kind]),
);
const tokenPattern = new RegExp(
  `^(${[...kindByPrefix.keys()].join('|')})_[0-9A-Za-z]{${randomLength + checksumLength}}$`,
);

/** What is kept of a token. */
export interface TokenRecord {
  hash: Buffer;
  lastEight: string;
}

/** A new token: its text, which is shown once, and what is kept of it. */
export function mintToken(kind: TokenKind): { text: string; kept: TokenRecord } {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return buildToken(kind, random);
}

/** A token with this text in its random part: 36 letters and digits. For worlds whose secrets follow from another one. */
export function buildToken(kind: TokenKind, random: string): { text: string; kept: TokenRecord } {
  const body = `${tokenPrefixes[kind]}_${random}`;
  const text = body + checksum(body);
  return { text, kept: { hash: Buffer.from(hashToken(text), 'base64url'), lastEight: text.slice(-8) } };
}

/**
 * The kind of a token that is written as ours are, checksum included; undefined for anything else. A typing error and a
 * guess are refused by this, before anything is asked of the database.
 */
export function parseTokenKind(text: string): TokenKind | undefined {
  const prefix = tokenPattern.exec(text)?.[1];
  if (prefix === undefined) return undefined;
  const end = text.length - checksumLength;
  return checksum(text.slice(0, end)) === text.slice(end) ? kindByPrefix.get(prefix) : undefined;
}

/** SHA-256 as base64url: what a token is looked up by. A random text of 214 bits needs no slower hash. */
export function hashToken(text: string): string {
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
export function encodeBase62(bytes: Uint8Array): string {
  return Array.from(bytes, byte => alphabet[byte % 62]).join('');
}
