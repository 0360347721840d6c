import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { invalidInput } from '../../errors/errors.ts';
import { createHashQueue } from './hash-queue.ts';
import { normalizePassword, passwordLength } from './password-text.ts';
import { passwordMessages } from './policy.ts';

/** The result of comparing a password with a hash. */
export interface PasswordVerification {
  /** The password matches the hash. */
  ok: boolean;
  /** The hash is weaker than the current parameters and should be replaced. True only with `ok`. */
  needsRehash: boolean;
}

// Numbers, because the package declares `const enum`s, which a single-file compiler cannot inline.
const argon2id = 2;
const version13 = 1;

/** OWASP's minimum (19 MiB, two passes, one lane): 22 ms of one core. The package generates a salt of 16 random bytes. */
const currentParameters = {
  algorithm: argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
} as const;
const saltLength = 16;

const queue = createHashQueue();
const mismatch: PasswordVerification = { ok: false, needsRehash: false };

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/(?<!=)=+$/, '');
const { memoryCost, timeCost, parallelism } = currentParameters;
/** A hash with the current parameters that matches no known password. Random bytes do; nothing has to be hashed for it. */
const dummyHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(randomBytes(saltLength))}$${base64(randomBytes(currentParameters.outputLen))}`;

/**
 * Hashes a password. Returns a PHC string.
 *
 * @param password already validated with `passwordProblems`; this function checks length and well-formedness again
 * @param salt 16 bytes, unpredictable and unique to one account; random when absent. Equal salt and password give equal hashes,
 *   which is why a caller passes one
 * @throws GraphQLError BAD_USER_INPUT for a text that cannot be a password, SERVICE_UNAVAILABLE when the queue is full
 */
export async function hashPassword(password: string, salt?: Uint8Array): Promise<string> {
  if (passwordLength(password) === undefined) throw invalidInput({ password: [passwordMessages.tooLong] });
  if (!password.isWellFormed()) throw invalidInput({ password: [passwordMessages.notText] });
  return queue.run(() => hash(normalizePassword(password), salt ? { ...currentParameters, salt } : currentParameters));
}

/**
 * Compares a password with a stored hash.
 *
 * @throws GraphQLError SERVICE_UNAVAILABLE when the queue is full; the package's error when `stored` is no hash
 */
export async function verifyPassword(stored: string, password: string): Promise<PasswordVerification> {
  // No such text was ever hashed, and the quick answer does not reveal whether the account exists. A lone surrogate would be
  // encoded as U+FFFD, so that each of the 2,048 surrogates would match.
  if (passwordLength(password) === undefined || !password.isWellFormed()) return mismatch;
  const ok = await queue.run(() => verify(stored, normalizePassword(password)));
  return ok ? { ok, needsRehash: isOutdated(stored) } : mismatch;
}

/**
 * Takes the same time as `verifyPassword` and never matches: for logins with an unknown e-mail address, which must not be
 * distinguishable by their duration.
 */
export function verifyDummyPassword(password: string): Promise<PasswordVerification> {
  return verifyPassword(dummyHash, password);
}

/** `parallelism` is not compared: it distributes the cost and does not change it. */
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
