import {
  createMessage,
  enums,
  type Key,
  type PublicKey,
  readKey,
  readSignature,
  type SignaturePacket,
  type Subkey,
} from 'openpgp';
import { armorBody } from './signed-commit.ts';

/** What is known of a PGP key without reading it again: for finding it by the id in a signature. */
export interface PgpKeyInfo {
  /** Ids of the key and its subkeys, 16 hexadecimal digits in lower case. */
  keyIds: string[];
  /** Addresses among its identities, as they are written. */
  emails: string[];
}

/** Reads an armored public key; throws when it is none. */
export async function parsePgpKey(armored: string): Promise<PgpKeyInfo & { key: PublicKey }> {
  const key = (await readKey({ armoredKey: armored })).toPublic();
  const keyIds = key.getKeyIDs().map(id => id.toHex());
  const emails = key.users.map(user => user.userID?.email ?? '').filter(email => email !== '');
  return { key, keyIds, emails };
}

/** Letters of a signature. One of RSA with 4,096 bits has 900; a megabyte of packets takes 0.2 s to read, 16 KB 3 ms. */
const maxSignatureChars = 16 * 1024;

/** A detached signature of one signer; undefined when it is no such thing, whole and with nothing behind it. */
export async function parsePgpSignature(armor: string): Promise<SignaturePacket | undefined> {
  if (armor.length > maxSignatureChars || armorBody(armor, 'PGP SIGNATURE') === undefined) return undefined;
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

/** The id of the key a signature names, as in `PgpKeyFacts`. */
export function issuerKeyId(signature: SignaturePacket): string {
  return signature.issuerKeyID.toHex();
}

/** The key or subkey with this id. */
export function findSigningKey(key: PublicKey, keyId: string): Key | Subkey | undefined {
  return key.getKeys().find(one => one.getKeyID().toHex() === keyId);
}

/** Whether the key says that it is for signing. One that says nothing is for everything. */
export function canSign(key: PublicKey, signer: Key | Subkey): boolean {
  const certificates =
    'bindingSignatures' in signer ? signer.bindingSignatures : key.users.flatMap(user => user.selfCertifications);
  const newest = certificates
    .toSorted((one, other) => createdAt(other) - createdAt(one))
    .find(one => one.keyFlags !== null);
  return newest?.keyFlags ? ((newest.keyFlags[0] ?? 0) & enums.keyFlags.signData) !== 0 : true;
}

function createdAt({ created }: SignaturePacket): number {
  return created?.getTime() ?? 0;
}

/**
 * Whether the signature is of `payload` and by this key, whatever has become of the key. `verify` of the library says valid for
 * an expired key when the signature is older, and gives one error for many reasons; so only the mathematics are asked for here.
 */
export async function isSignedByPgp(
  signature: SignaturePacket,
  signer: Key | Subkey,
  payload: Buffer,
): Promise<boolean> {
  const message = await createMessage({ binary: new Uint8Array(payload) });
  const literal = message.packets.findPacket(enums.packet.literalData);
  if (!literal || signature.signatureType === null) return false;
  try {
    // Without a time: a signature does not become wrong with age, and how old keys may be is decided elsewhere.
    await signature.verify(signer.keyPacket, signature.signatureType, literal, null as unknown as Date, true);
    return true;
  } catch {
    return false;
  }
}

/** Whether the key, or the part of it that signed, is expired or revoked. */
export async function isExpiredOrRevoked(key: PublicKey, signer: Key | Subkey, now: Date): Promise<boolean> {
  // The library's types ask for a certificate where its code takes its absence for «any».
  const none = undefined as unknown as SignaturePacket;
  if (await key.isRevoked(none, undefined, now)) return true;
  if (isExpired(await key.getExpirationTime(), now)) return true;
  if (!('bindingSignatures' in signer)) return false;
  if (await signer.isRevoked(none, signer.keyPacket, now)) return true;
  return isExpired(await signer.getExpirationTime(now), now);
}

/** Null is what the library gives for a key without a certificate that it accepts. */
function isExpired(time: Date | number | null, now: Date): boolean {
  return time === null || (time instanceof Date && time <= now);
}
