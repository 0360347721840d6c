import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { armorBody } from './signed-commit.ts';

/** A signature made by `ssh-keygen -Y sign`. */
export interface SshSignature {
  /** The public key blob: the decoded second field of an authorized_keys line. */
  key: Buffer;
  namespace: string;
  hash: 'sha256' | 'sha512';
  algorithm: string;
  /** The signature blob; its format depends on the algorithm. */
  bytes: Buffer;
  /** Of a security key (FIDO): flags and counter, which are part of the signed data. */
  securityKeyData: Buffer;
}

/** Undefined when it is malformed or has trailing data. */
export function parseSshSignature(armor: string): SshSignature | undefined {
  const body = armorBody(armor, 'SSH SIGNATURE')?.replace(/[\r\n]/g, '');
  if (body === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return undefined;
  const reader = new SshReader(Buffer.from(body, 'base64'));
  if (reader.readBytes(6)?.toString('latin1') !== 'SSHSIG' || reader.readUint32() !== 1) return undefined;
  const key = reader.readString();
  const namespace = reader.readString();
  const reserved = reader.readString();
  const hash = reader.readString()?.toString('latin1');
  const blob = reader.readString();
  if (!key || !namespace || !reserved || !blob || !reader.isAtEnd) return undefined;
  if (hash !== 'sha256' && hash !== 'sha512') return undefined;
  const signature = new SshReader(blob);
  const algorithm = signature.readString()?.toString('latin1');
  const bytes = signature.readString();
  if (algorithm === undefined || !bytes) return undefined;
  const securityKeyData = algorithm.startsWith('sk-') ? signature.readBytes(5) : Buffer.alloc(0);
  if (!securityKeyData || !signature.isAtEnd) return undefined;
  return { key, namespace: namespace.toString(), hash, algorithm, bytes, securityKeyData };
}

/** The key blob of a line such as `ssh-ed25519 AAAA… name`; undefined when it is malformed. */
export function parseSshKey(line: string): Buffer | undefined {
  const [type = '', body = ''] = line.trim().split(/\s+/);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return undefined;
  const key = Buffer.from(body, 'base64');
  return new SshReader(key).readString()?.toString('latin1') === type ? key : undefined;
}

/**
 * Whether the named key made this signature over `payload` in the namespace `git`. Throws for a key that Node.js cannot
 * read.
 */
export function isSignedBySsh(signature: SshSignature, payload: Buffer): boolean {
  if (signature.namespace !== 'git') return false;
  const key = parseKey(signature.key);
  if (!key?.algorithms.has(signature.algorithm)) return false;
  const signed = Buffer.concat([
    Buffer.from('SSHSIG'),
    encodeString(Buffer.from(signature.namespace)),
    encodeString(Buffer.alloc(0)),
    encodeString(Buffer.from(signature.hash)),
    encodeString(createHash(signature.hash).update(payload).digest()),
  ]);
  if (key.application === undefined) return verifyBytes(key, signature, signed);
  // A security key signs its own structure: the application, whether the user touched it, and a counter.
  const isTouched = ((signature.securityKeyData[0] ?? 0) & 1) === 1;
  const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
  return (
    isTouched &&
    verifyBytes(key, signature, Buffer.concat([sha256(key.application), signature.securityKeyData, sha256(signed)]))
  );
}

interface SshKey {
  key: KeyObject;
  /** Digest for node:crypto by algorithm; null when the key determines it. */
  digest: Map<string, string | null>;
  algorithms: Set<string>;
  application: Buffer | undefined;
}

function verifyBytes({ key, digest }: SshKey, { algorithm, bytes }: SshSignature, signed: Buffer): boolean {
  const name = digest.get(algorithm);
  if (name === undefined) return false;
  if (key.asymmetricKeyType !== 'ec') return verify(name, signed, key, bytes);
  const size = Math.ceil(Number(/\d+/.exec(algorithm.slice(algorithm.indexOf('nistp')))?.[0]) / 8);
  const reader = new SshReader(bytes);
  const [r, s] = [reader.readString(), reader.readString()].map(one => one && padTo(one, size));
  if (!r || !s || !reader.isAtEnd) return false;
  return verify(name, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]));
}

const curves: ReadonlyMap<string, { crv: string; digest: string }> = new Map([
  ['nistp256', { crv: 'P-256', digest: 'sha256' }],
  ['nistp384', { crv: 'P-384', digest: 'sha384' }],
  ['nistp521', { crv: 'P-521', digest: 'sha512' }],
]);

function parseKey(blob: Buffer): SshKey | undefined {
  const reader = new SshReader(blob);
  const type = reader.readString()?.toString('latin1') ?? '';
  const isSecurityKey = type.startsWith('sk-');
  const plain = type.replace(/^sk-/, '').replace(/@openssh\.com$/, '');
  const buildKey = (jwk: JsonWebKey, digests: [string, string | null][]): SshKey | undefined => {
    const application = isSecurityKey ? reader.readString() : undefined;
    if (!reader.isAtEnd || (isSecurityKey && !application)) return undefined;
    const digest = new Map(digests);
    return {
      key: createPublicKey({ key: jwk, format: 'jwk' }),
      digest,
      algorithms: new Set(digest.keys()),
      application,
    };
  };
  if (plain === 'ssh-ed25519') {
    const x = reader.readString();
    return x?.length === 32 ? buildKey({ kty: 'OKP', crv: 'Ed25519', x: base64url(x) }, [[type, null]]) : undefined;
  }
  if (type === 'ssh-rsa') {
    const [e, n] = [reader.readString(), reader.readString()];
    if (!e || !n) return undefined;
    // The algorithm ssh-rsa uses SHA-1 and is not accepted.
    return buildKey({ kty: 'RSA', n: base64url(stripLeadingZeros(n)), e: base64url(stripLeadingZeros(e)) }, [
      ['rsa-sha2-256', 'sha256'],
      ['rsa-sha2-512', 'sha512'],
    ]);
  }
  const curve = curves.get(plain.replace(/^ecdsa-sha2-/, ''));
  if (!plain.startsWith('ecdsa-sha2-') || !curve) return undefined;
  const name = reader.readString();
  const point = reader.readString();
  if (!name || point?.[0] !== 4) return undefined;
  const half = (point.length - 1) / 2;
  const [x, y] = [point.subarray(1, 1 + half), point.subarray(1 + half)];
  return buildKey({ kty: 'EC', crv: curve.crv, x: base64url(x), y: base64url(y) }, [[type, curve.digest]]);
}

type JsonWebKey = { kty: string; crv?: string; x?: string; y?: string; n?: string; e?: string };

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}

/** Strips the leading zero bytes that keep an SSH mpint positive. */
function stripLeadingZeros(number: Buffer): Buffer {
  let at = 0;
  while (at < number.length - 1 && number[at] === 0) at++;
  return number.subarray(at);
}

function padTo(number: Buffer, size: number): Buffer | undefined {
  const bytes = stripLeadingZeros(number);
  return bytes.length > size ? undefined : Buffer.concat([Buffer.alloc(size - bytes.length), bytes]);
}

function encodeString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads the SSH wire format. Every method returns undefined past the end. */
export class SshReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  readBytes(length: number): Buffer | undefined {
    if (this.#at + length > this.#bytes.length) return undefined;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  readUint32(): number | undefined {
    return this.readBytes(4)?.readUInt32BE();
  }

  readString(): Buffer | undefined {
    const length = this.readUint32();
    return length === undefined ? undefined : this.readBytes(length);
  }
}
