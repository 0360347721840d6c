import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import {
  createMessage,
  type EllipticCurveName,
  generateKey,
  type PrivateKey,
  readSignature,
  sign as signPgp,
} from 'openpgp';

/** A signer of commits, and the public key to register. */
export interface Signer {
  publicKey: string;
  sign(payload: Buffer): Promise<string>;
}

const born = new Date('2026-01-01T00:00:00Z');
const signedAt = new Date('2026-09-01T00:00:00Z');

async function armored(secret: PrivateKey, payload: Buffer): Promise<string> {
  const message = await createMessage({ binary: new Uint8Array(payload) });
  return signPgp({ message, signingKeys: secret, detached: true, date: signedAt, format: 'armored' });
}

/** PGP. `days`: lifetime of the key from 1 January 2026; unlimited when absent. */
export async function pgpSigner(email: string, days = 0): Promise<Signer> {
  const made = await generateKey({
    userIDs: [{ name: 'A Signer', email }],
    date: born,
    keyExpirationTime: days * 86_400,
    format: 'object',
  });
  return { publicKey: made.publicKey.armor(), sign: payload => armored(made.privateKey, payload) };
}

/** The library refuses curves that GnuPG offers when it signs; it verifies them. */
const anyCurve = { rejectCurves: new Set<never>() };

/** PGP over an elliptic curve. */
export async function curveSigner(email: string, curve: EllipticCurveName): Promise<Signer> {
  const { privateKey, publicKey } = await generateKey({
    userIDs: [{ name: 'A Signer', email }],
    date: born,
    type: 'ecc',
    curve,
    format: 'object',
    config: anyCurve,
  });
  return {
    publicKey: publicKey.armor(),
    async sign(payload) {
      const message = await createMessage({ binary: new Uint8Array(payload) });
      return signPgp({ message, signingKeys: privateKey, detached: true, date: signedAt, config: anyCurve });
    },
  };
}

/** PGP, with the revocation certificate of the key as a block of its own, as GnuPG writes it. */
export async function revokedSigner(email: string): Promise<Signer & { certificate: string }> {
  const { privateKey, publicKey, revocationCertificate } = await generateKey({
    userIDs: [{ name: 'A Signer', email }],
    date: born,
    format: 'object',
  });
  return {
    publicKey: publicKey.armor(),
    certificate: revocationCertificate,
    sign: payload => armored(privateKey, payload),
  };
}

/** PGP, with signatures that name an encryption-only subkey as issuer. */
export async function encryptingSigner(email: string): Promise<Signer> {
  const made = await generateKey({
    userIDs: [{ name: 'A Signer', email }],
    date: born,
    type: 'rsa',
    rsaBits: 2048,
    subkeys: [{}],
    format: 'object',
  });
  const [from, to] = [made.privateKey.getKeyID().toHex(), made.privateKey.subkeys[0]?.getKeyID().toHex() ?? ''];
  return {
    publicKey: made.publicKey.armor(),
    async sign(payload) {
      const packet = await readSignature({ armoredSignature: await armored(made.privateKey, payload) });
      const bytes = Buffer.from(packet.write() as Uint8Array);
      const moved = Buffer.from(bytes.toString('hex').replaceAll(from, to), 'hex');
      return (await readSignature({ binarySignature: new Uint8Array(moved) })).armor();
    },
  };
}

function lengthed(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** SSH with Ed25519, in the format of `ssh-keygen -Y sign -n git`. */
export function sshSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const key = Buffer.concat([lengthed('ssh-ed25519'), lengthed(raw)]);
  return {
    publicKey: `ssh-ed25519 ${key.toString('base64')} somebody@somewhere`,
    async sign(payload) {
      const head = [lengthed('git'), lengthed(''), lengthed('sha512')];
      const hashed = createHash('sha512').update(payload).digest();
      const signature = sign(null, Buffer.concat([Buffer.from('SSHSIG'), ...head, lengthed(hashed)]), privateKey);
      const blob = Buffer.concat([lengthed('ssh-ed25519'), lengthed(signature)]);
      const version = Buffer.from([0, 0, 0, 1]);
      const all = Buffer.concat([Buffer.from('SSHSIG'), version, lengthed(key), ...head, lengthed(blob)]);
      const lines = all.toString('base64').replace(/(.{70})/g, '$1\n');
      return `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`;
    },
  };
}
