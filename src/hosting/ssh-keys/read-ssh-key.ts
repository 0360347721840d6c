import { createHash } from 'node:crypto';
import { SshReader } from '../../git/signatures/ssh-signature.ts';
import { isTooLong, type TextLimits } from '../text-problems.ts';

/** A public key of OpenSSH. */
export interface OpenSshKey {
  /** The line without its comment. */
  text: string;
  /** As `ssh-keygen -l` prints it: `SHA256:…`. */
  fingerprint: string;
}

/** Why a text is no accepted key. */
export type SshKeyProblem = 'invalid' | 'private' | 'unsupported' | 'weak';

/** Limits of the text of a key. */
export const sshKeyLimits = { minLength: 1, maxLength: 64 * 1024 } as const satisfies TextLimits;

/** Sizes of RSA moduli, in bits. Larger ones make verification slow. */
const rsaBits = { min: 2048, max: 16_384 };
/** Sizes in bytes of uncompressed points on the NIST curves: 4, x and y. */
const pointBytes: ReadonlyMap<string, number> = new Map([
  ['nistp256', 65],
  ['nistp384', 97],
  ['nistp521', 133],
]);

/** Parses a line of `authorized_keys` without options (RFC 4253, section 6.6; RFC 5656; RFC 8709; PROTOCOL.u2f). */
export function readSshKey(text: string): OpenSshKey | SshKeyProblem {
  if (isTooLong(text, sshKeyLimits.maxLength)) return 'invalid';
  if (/PRIVATE KEY/.test(text)) return 'private';
  const line = text.trim();
  if (/[\r\n\0]/.test(line)) return 'invalid';
  const [kind = '', body = ''] = line.split(/[ \t]+/);
  if (kind === 'ssh-dss') return 'unsupported';
  const bytes = Buffer.from(body, 'base64');
  const problem = bytes.toString('base64') === body ? keyProblem(kind, bytes) : 'invalid';
  if (problem !== undefined) return problem;
  const digest = createHash('sha256')
    .update(bytes)
    .digest('base64')
    .replace(/(?<!=)=+$/, '');
  return { text: `${kind} ${body}`, fingerprint: `SHA256:${digest}` };
}

function keyProblem(kind: string, bytes: Buffer): SshKeyProblem | undefined {
  const [inside, ...fields] = readFields(bytes) ?? [];
  if (inside?.toString('latin1') !== kind) return 'invalid';
  if (kind === 'ssh-rsa') return rsaProblem(fields);
  // Keys on a hardware token end with the application that they are for.
  const isToken = kind.startsWith('sk-');
  const own = isToken ? fields.slice(0, -1) : fields;
  if (isToken && !fields.at(-1)?.length) return 'invalid';
  if (kind === 'ssh-ed25519' || kind === 'sk-ssh-ed25519@openssh.com') {
    return own.length === 1 && own[0]?.length === 32 ? undefined : 'invalid';
  }
  const [, curve = ''] = /^(?:sk-)?ecdsa-sha2-(nistp256|nistp384|nistp521)(?:@openssh\.com)?$/.exec(kind) ?? [];
  const known = isToken ? kind === 'sk-ecdsa-sha2-nistp256@openssh.com' : kind === `ecdsa-sha2-${curve}`;
  if (!known) return 'unsupported';
  const [name, point] = own;
  const isPoint = point?.length === pointBytes.get(curve) && point?.[0] === 4;
  return own.length === 2 && name?.toString('latin1') === curve && isPoint ? undefined : 'invalid';
}

/** Exponent and modulus, as positive numbers without needless leading zeros (RFC 4251, section 5). */
function rsaProblem(fields: readonly Buffer[]): SshKeyProblem | undefined {
  const [exponent, modulus] = fields;
  if (fields.length !== 2 || !isPositive(exponent) || !isPositive(modulus)) return 'invalid';
  const bits = bitLength(modulus);
  if (bits < rsaBits.min) return 'weak';
  const isOdd = ((exponent.at(-1) ?? 0) & 1) === 1 && ((modulus.at(-1) ?? 0) & 1) === 1;
  return bits <= rsaBits.max && isOdd && bitLength(exponent) > 1 ? undefined : 'invalid';
}

function isPositive(value: Buffer | undefined): value is Buffer {
  if (value === undefined || value.length === 0) return false;
  const [first = 0, second = 0] = value;
  return first < 0x80 && (first > 0 || second >= 0x80);
}

function bitLength(value: Buffer): number {
  const at = value.findIndex(byte => byte > 0);
  return (value.length - at) * 8 - (Math.clz32(value[at] ?? 0) - 24);
}

/** The length-prefixed fields of an encoded key; undefined where they do not fill it. */
function readFields(bytes: Buffer): Buffer[] | undefined {
  const reader = new SshReader(bytes);
  const fields: Buffer[] = [];
  while (!reader.isAtEnd) {
    const field = reader.readString();
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return fields;
}
