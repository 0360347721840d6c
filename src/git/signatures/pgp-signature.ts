import type { Key, PublicKey, SignaturePacket, Subkey } from 'openpgp';
import { armorBody } from './signed-commit.ts';

/** Flag of a key that signs data: RFC 9580, 5.2.3.29. */
const signDataFlag = 0x02;

/** On first use: 1.2 MB of code, which a gateway without PGP signatures never needs. */
const library = (): Promise<typeof import('openpgp')> => import('openpgp');

/** The parts of a PGP key that are stored beside it: they are looked up by the key id in a signature. */
export interface PgpKeyInfo {
  /** Ids of the key and its subkeys, 16 lower-case hexadecimal digits. */
  keyIds: string[];
  /** The email addresses of its user ids, as written. */
  emails: string[];
}

/** Parses an armored public key. Throws when it is not one. */
export async function parsePgpKey(armored: string): Promise<PgpKeyInfo & { key: PublicKey }> {
  const { readKey } = await library();
  const key = (await readKey({ armoredKey: armored })).toPublic();
  const keyIds = key.getKeyIDs().map(id => id.toHex());
  const emails = key.users.map(user => user.userID?.email ?? '').filter(email => email !== '');
  return { key, keyIds, emails };
}

/** Parses a detached signature of one signer; undefined when it is something else or has trailing data. */
export async function parsePgpSignature(armor: string): Promise<SignaturePacket | undefined> {
  if (armorBody(armor, 'PGP SIGNATURE') === undefined) return undefined;
  const { enums, readSignature } = await library();
  try {
    const { packets } = await readSignature({ armoredSignature: armor });
    const [packet] = packets;
    const isDocument =
      packet?.signatureType === enums.signature.binary || packet?.signatureType === enums.signature.text;
    return packets.length === 1 && isDocument ? packet : undefined;
  } catch {
    return undefined;
  }
}

/** The id of the signing key, in the form of `PgpKeyInfo`. */
export function issuerKeyId(signature: SignaturePacket): string {
  return signature.issuerKeyID.toHex();
}

/** The key or subkey with this id. */
export function findSigningKey(key: PublicKey, keyId: string): Key | Subkey | undefined {
  return key.getKeys().find(one => one.getKeyID().toHex() === keyId);
}

/** Whether the key flags permit signing. A key without flags permits everything. */
export function canSign(key: PublicKey, signer: Key | Subkey): boolean {
  const certificates =
    'bindingSignatures' in signer ? signer.bindingSignatures : key.users.flatMap(user => user.selfCertifications);
  const newest = certificates
    .toSorted((one, other) => createdAt(other) - createdAt(one))
    .find(one => one.keyFlags !== null);
  return newest?.keyFlags ? ((newest.keyFlags[0] ?? 0) & signDataFlag) !== 0 : true;
}

function createdAt({ created }: SignaturePacket): number {
  return created?.getTime() ?? 0;
}

/**
 * Whether the key made this signature over `payload`, regardless of expiry and revocation. The library's `verify`
 * accepts an expired key when the signature is older, and reports many reasons with one error, so only the
 * cryptographic check is used here.
 */
export async function isSignedByPgp(
  signature: SignaturePacket,
  signer: Key | Subkey,
  payload: Buffer,
): Promise<boolean> {
  const { createMessage, enums } = await library();
  const message = await createMessage({ binary: new Uint8Array(payload) });
  const literal = message.packets.findPacket(enums.packet.literalData);
  if (!literal || signature.signatureType === null) return false;
  try {
    // Without a date: a signature does not expire; `isExpiredOrRevoked` checks the key.
    await signature.verify(signer.keyPacket, signature.signatureType, literal, null as unknown as Date, true);
    return true;
  } catch {
    return false;
  }
}

/** Whether the key or the signing subkey is expired or revoked. */
export async function isExpiredOrRevoked(key: PublicKey, signer: Key | Subkey, now: Date): Promise<boolean> {
  // The types require a certificate; the code accepts its absence as "any".
  const none = undefined as unknown as SignaturePacket;
  if (await key.isRevoked(none, undefined, now)) return true;
  if (isExpired(await key.getExpirationTime(), now)) return true;
  if (!('bindingSignatures' in signer)) return false;
  if (await signer.isRevoked(none, signer.keyPacket, now)) return true;
  return isExpired(await signer.getExpirationTime(now), now);
}

/** The library returns null for a key without an acceptable certificate. */
function isExpired(time: Date | number | null, now: Date): boolean {
  return time === null || (time instanceof Date && time <= now);
}
