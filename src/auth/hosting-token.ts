import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefix of each kind of token, by which people and secret scanners recognise a leaked one. */
export const tokenPrefixes = {
  classic: 'hostp',
  fine_grained: 'host_pat',
  oauth: 'hosto',
  user_to_server: 'hostu',
  installation: 'hosts',
  workflow: 'hostw',
  service: 'host_svc',
} as const;

export type TokenKind = keyof typeof tokenPrefixes;

/** Prefixes of GitHub's tokens, which are understood too: a client that checks them takes a token that is spelled so. */
const githubPrefixes: Readonly<Partial<Record<TokenKind, string>>> = {
  classic: 'ghp',
  fine_grained: 'github_pat',
  oauth: 'gho',
  user_to_server: 'ghu',
  installation: 'ghs',
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Base-62 digits: 214 bits. */
const randomLength = 36;
const checksumLength = 6;

const kindByPrefix = new Map<string, TokenKind>(
  [tokenPrefixes, githubPrefixes].flatMap(prefixes =>
    (Object.entries(prefixes) as [TokenKind, string][]).map(([kind, prefix]) => [prefix, kind] as const),
  ),
);
// recheck-ignore: anchored, and all that matches has one of few lengths
const tokenPattern = new RegExp(
  `^(${[...kindByPrefix.keys()].join('|')})_[0-9A-Za-z]{${randomLength + checksumLength}}$`,
);

const tokenBeginning = /^(?:host|gh[opsu]_|github_pat_)/;

/** What the database stores of a token. */
export interface TokenRecord {
  hash: Buffer;
  lastEight: string;
}

/** Generates a token: its text, which is shown once, and what the database stores of it. */
export function mintToken(kind: TokenKind): { text: string; record: TokenRecord } {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return buildToken(kind, random);
}

/** Builds a token from a given random part of 36 letters and digits. For seed data whose secrets derive from one other secret. */
export function buildToken(kind: TokenKind, random: string): { text: string; record: TokenRecord } {
  const body = `${tokenPrefixes[kind]}_${random}`;
  const text = body + checksum(body);
  return { text, record: { hash: storedHash(text), lastEight: text.slice(-8) } };
}

/** A well-formed token. */
export interface ParsedToken {
  kind: TokenKind;
  /** With the prefix and the checksum by which it was issued and is stored. */
  text: string;
}

/**
 * Parses a token with a correct checksum, of its own text or of the one with the prefix that it was issued with; undefined for any
 * other text. Rejects typing errors and guesses without a database lookup.
 */
export function parseToken(text: string): ParsedToken | undefined {
  const prefix = tokenPattern.exec(text)?.[1];
  const kind = prefix === undefined ? undefined : kindByPrefix.get(prefix);
  if (prefix === undefined || kind === undefined) return undefined;
  const [body, sum] = [text.slice(0, -checksumLength), text.slice(-checksumLength)];
  const { text: issued } = buildToken(kind, body.slice(prefix.length + 1));
  return checksum(body) === sum || issued.endsWith(sum) ? { kind, text: issued } : undefined;
}

/** The kind of a well-formed token: see `parseToken`. */
export const parseTokenKind = (text: string): TokenKind | undefined => parseToken(text)?.kind;

/** Whether a text begins as a token does, well-formed or not. */
export const looksLikeToken = (text: string): boolean => tokenBeginning.test(text);

/** SHA-256 as base64url, the lookup key of a token. A random text of 214 bits needs no slower hash. */
export function hashToken(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The same as bytes: what the database stores of tokens, client secrets and codes. */
export const storedHash = (text: string): Buffer => Buffer.from(hashToken(text), 'base64url');

/** CRC-32 in base 62 of the text before it, the prefix included, so that a token with an exchanged prefix is invalid. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let at = 0; at < checksumLength; at++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Maps each byte to one of 62 letters and digits. */
export function encodeBase62(bytes: Uint8Array): string {
  return Array.from(bytes, byte => alphabet[byte % 62]).join('');
}
