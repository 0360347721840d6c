import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { EncryptionKeys } from './encryption.ts';

/**
 * Keys of 32 bytes for one purpose each, derived from one secret. A value made with one is never valid under another. Where a value
 * may be older than the secret, the keys of `SECRET_KEY_PREVIOUS` are accepted as well.
 */
export interface DerivedKeys {
  /** Access and refresh tokens: the first key signs, and every one verifies. */
  sessionTokens: EncryptionKeys;
  /** Encrypts values that have to be read again: see `encrypt`. */
  encryption: EncryptionKeys;
  /** Derives the salt of the password of a registration: see the function `registrationSalt`. */
  registrationSalt: Uint8Array;
  /** Names the files of stored archives. */
  archiveNames: Uint8Array;
  /** Makes the ids of callers in logs. */
  callerIds: Uint8Array;
  /** Derives the passwords and tokens of the demo data, from the older secret. */
  demo: Uint8Array;
}

/** Derives the keys of this installation from `SECRET_KEY`, or from a secret generated once and stored in the data folder. */
export function deriveKeys(config: Pick<Config, 'SECRET_KEY' | 'SECRET_KEY_PREVIOUS' | 'PORTICO_DATA'>): DerivedKeys {
  const secret = config.SECRET_KEY ?? readOrCreateSecret(resolve(config.PORTICO_DATA));
  const deriveFrom = (from: string, purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', from, 'portico', purpose, 32));
  const derive = (purpose: string): Uint8Array => deriveFrom(secret, purpose);
  const previous = config.SECRET_KEY_PREVIOUS;
  const deriveAll = (purpose: string): EncryptionKeys =>
    previous === undefined ? [derive(purpose)] : [derive(purpose), deriveFrom(previous, purpose)];
  return {
    sessionTokens: deriveAll('tokens'),
    encryption: deriveAll('seal'),
    registrationSalt: derive('registration'),
    archiveNames: derive('archives'),
    callerIds: derive('callers'),
    demo: deriveFrom(previous ?? secret, 'seal'),
  };
}

function readOrCreateSecret(folder: string): string {
  const path = join(folder, 'secret.key');
  mkdirSync(folder, { recursive: true });
  try {
    // The flag refuses an existing file, so of two processes that start at the same time one writes it.
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
