import { parseCommit } from '../commit.ts';
import {
  canSign,
  findSigningKey,
  isExpiredOrRevoked,
  isSignedByPgp,
  issuerKeyId,
  parsePgpKey,
  parsePgpSignature,
} from './pgp-signature.ts';
import { splitSignature } from './signed-commit.ts';
import { isSignedBySsh, parseSshKey, parseSshSignature } from './ssh-signature.ts';

export type VerificationReason =
  | 'valid'
  | 'unsigned'
  | 'unknown_signature_type'
  | 'malformed_signature'
  | 'unknown_key'
  | 'not_signing_key'
  | 'invalid'
  | 'expired_key'
  | 'no_user'
  | 'unverified_email'
  | 'bad_email'
  | 'gpgverify_error'
  | 'gpgverify_unavailable';

export interface SignatureVerification {
  reason: VerificationReason;
  /** Null for an unsigned commit; otherwise UTF-8 text. */
  signature: string | null;
  payload: string | null;
}

/** A key that an account has registered. */
export type KnownKey =
  | { kind: 'pgp'; armored: string; keyIds: readonly string[]; accountId: number }
  /** `line`: as in authorized_keys. Authentication keys must not be passed: they do not sign. */
  | { kind: 'ssh'; line: string; accountId: number };

/** An email address of an account, and whether it is verified. */
export interface KnownEmail {
  email: string;
  isVerified: boolean;
  accountId: number;
}

/** The keys and email addresses that may be relevant. Irrelevant ones do no harm. */
export interface VerificationInput {
  keys: readonly KnownKey[];
  emails: readonly KnownEmail[];
  now: Date;
}

/** The identifiers in a signed commit by which `VerificationInput` is looked up. */
export interface SignerIdentity {
  committerEmail: string;
  /** Of the PGP key, 16 hexadecimal digits. */
  pgpKeyId?: string;
  /** The SSH key blob. */
  sshKey?: Buffer;
}

/** Undefined when the commit has no signature or an unreadable one. */
export async function parseSignerIdentity(content: Buffer, subject: string): Promise<SignerIdentity | undefined> {
  const signature = splitSignature(content)?.signature.toString('latin1');
  if (signature === undefined) return undefined;
  const committerEmail = parseCommit(content, subject).committer.email;
  const pgp = await parsePgpSignature(signature);
  if (pgp) return { committerEmail, pgpKeyId: issuerKeyId(pgp) };
  const ssh = parseSshSignature(signature);
  return ssh && { committerEmail, sshKey: ssh.key };
}

/**
 * Verifies the signature of a commit. The first reason that applies is the result, in this order: there is a signature
 * of a known type that can be parsed; its key is registered and permitted to sign; the signature matches; the key is
 * neither expired nor revoked; the committer's email address belongs to an account, is verified, and belongs to the
 * owner of the key and to its user ids.
 */
export async function verifyCommit(
  content: Buffer,
  subject: string,
  input: VerificationInput,
): Promise<SignatureVerification> {
  const signed = splitSignature(content);
  if (!signed) return { reason: 'unsigned', signature: null, payload: null };
  const armor = signed.signature.toString('latin1');
  const verifyArmor = async (): Promise<VerificationReason> => {
    if (/^-----BEGIN PGP (SIGNATURE|MESSAGE)-----/.test(armor)) return verifyPgp(armor, signed.payload, input, email());
    if (armor.startsWith('-----BEGIN SSH SIGNATURE-----')) return verifySsh(armor, signed.payload, input, email());
    return 'unknown_signature_type';
  };
  const email = (): string => parseCommit(content, subject).committer.email;
  const reason = await verifyArmor().catch(() => 'gpgverify_error' as const);
  return { reason, signature: signed.signature.toString(), payload: signed.payload.toString() };
}

async function verifyPgp(
  armor: string,
  payload: Buffer,
  { keys, emails, now }: VerificationInput,
  email: string,
): Promise<VerificationReason> {
  const signature = await parsePgpSignature(armor);
  if (!signature) return 'malformed_signature';
  const issuer = issuerKeyId(signature);
  const known = keys.find(one => one.kind === 'pgp' && one.keyIds.includes(issuer));
  if (known?.kind !== 'pgp') return 'unknown_key';
  const { key, emails: identities } = await parsePgpKey(known.armored);
  const signer = findSigningKey(key, issuer);
  if (!signer) return 'unknown_key';
  if (!canSign(key, signer)) return 'not_signing_key';
  if (!(await isSignedByPgp(signature, signer, payload))) return 'invalid';
  if (await isExpiredOrRevoked(key, signer, now)) return 'expired_key';
  return checkCommitterEmail(email, emails, known.accountId, identities);
}

function verifySsh(
  armor: string,
  payload: Buffer,
  { keys, emails }: VerificationInput,
  email: string,
): VerificationReason {
  const signature = parseSshSignature(armor);
  if (!signature) return 'malformed_signature';
  const known = keys.find(one => one.kind === 'ssh' && parseSshKey(one.line)?.equals(signature.key));
  if (!known) return 'unknown_key';
  if (!isSignedBySsh(signature, payload)) return 'invalid';
  return checkCommitterEmail(email, emails, known.accountId, undefined);
}

/** `identities`: the email addresses of a PGP key; SSH keys have none. */
function checkCommitterEmail(
  email: string,
  emails: readonly KnownEmail[],
  accountId: number,
  identities: readonly string[] | undefined,
): VerificationReason {
  const same = (other: string): boolean => other.toLowerCase() === email.toLowerCase();
  const owners = emails.filter(one => same(one.email));
  if (owners.length === 0) return 'no_user';
  const verified = owners.filter(one => one.isVerified);
  if (verified.length === 0) return 'unverified_email';
  // The email address must belong to the owner of the key.
  if (!verified.some(one => one.accountId === accountId)) return 'bad_email';
  return identities && !identities.some(same) ? 'bad_email' : 'valid';
}
