import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { invalidInput } from '../../errors/errors.ts';
import { HashQueue } from './hash-queue.ts';
import { normalizePassword, passwordLength } from './password-text.ts';
import { passwordMessages } from './policy.ts';

/** What a password was found to be. */
export interface PasswordVerification {
  /** It is the password that the hash was made of. */
  ok: boolean;
  /** The hash is weaker than one made today: make a new one while the password is at hand. Only ever true with `ok`. */
  needsRehash: boolean;
}

// Numbers, not the package's enums: those are `const enum`s of a declaration file, which a compiler of single files cannot read.
const argon2id = 2;
const version13 = 1;

/** OWASP's minimum (19 MiB, two passes, one lane), 22 ms of one core. The package makes a salt of 16 random bytes. */
const currentParameters = {
  algorithm: argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
} as const;
const saltLength = 16;

const queue = new HashQueue();
const mismatch: PasswordVerification = { ok: false, needsRehash: false };

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const { memoryCost, timeCost, parallelism } = currentParameters;
/** A hash that no password is known for, of today's strength. Random bytes do: nobody has to be made to hash anything. */
const dummyHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(randomBytes(saltLength))}$${base64(randomBytes(currentParameters.outputLen))}`;

/**
 * The hash to be stored, a PHC string. Throws `invalidInput` for what can be no password (see `sentences`), before any work;
 * throws `unavailable` when too many are waiting to be hashed.
 *
 * @param password judged before by `passwordProblems`; this is only the last line of defence
 * @param salt 16 bytes, unpredictable and unique to one account; random bytes when left out. The same salt and password
 *   give the same hash, which is what a caller passes one for
 */
export async function hashPassword(password: string, salt?: Uint8Array): Promise<string> {
  if (passwordLength(password) === undefined) throw invalidInput({ password: [passwordMessages.tooLong] });
  if (!password.isWellFormed()) throw invalidInput({ password: [passwordMessages.notText] });
  return queue.run(() => hash(normalizePassword(password), salt ? { ...currentParameters, salt } : currentParameters));
}

/**
 * Compares a password with a stored hash. Throws `unavailable` when too many are waiting, and the package's error when
 * `stored` is no hash at all, which is a defect of whoever stored it.
 */
export async function verifyPassword(stored: string, password: string): Promise<PasswordVerification> {
  // No hash was made of such a text, and nobody learns from the quick answer whether there is an account. Half a character
  // would become U+FFFD on its way into bytes, and any of the 2,048 halves would open what one of them has closed.
  if (passwordLength(password) === undefined || !password.isWellFormed()) return mismatch;
  const ok = await queue.run(() => verify(stored, normalizePassword(password)));
  return ok ? { ok, needsRehash: isOutdated(stored) } : mismatch;
}

/**
 * The same work and the same waiting as for an account's password, and never ok: for logins of unknown e-mail addresses,
 * which must take as long as others.
 */
export function verifyDummyPassword(password: string): Promise<PasswordVerification> {
  return verifyPassword(dummyHash, password);
}

/** More lanes or less of them are another shape of the same cost, so `parallelism` is not compared. */
function isOutdated(stored: string): boolean {
  const parameters = parseOptions(stored);
  return (
    parameters.algorithm !== argon2id ||
    parameters.version < version13 ||
    parameters.memoryCost < currentParameters.memoryCost ||
    parameters.timeCost < currentParameters.timeCost ||
    parameters.outputLen < currentParameters.outputLen ||
    parameters.saltLen < saltLength
  );
}
