import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';

/** Keys for one purpose each, 32 bytes, all from one secret: what is signed can never be taken for what is sealed. */
export interface DerivedKeys {
  /** Signs access and refresh tokens. */
  sessionTokens: Uint8Array;
  /** Seals what has to be read again: see `seal`. */
  encryption: Uint8Array;
  /** Makes the salt of a registration's password: see `registrationSalt`. */
  registrationSalt: Uint8Array;
}

/** The keys of this installation: from `SECRET_KEY`, else from a secret made once and kept in the data folder. */
export function deriveKeys(config: Pick<Config, 'SECRET_KEY' | 'PORTICO_DATA'>): DerivedKeys {
  const secret = config.SECRET_KEY ?? readOrCreateSecret(resolve(config.PORTICO_DATA));
  const derive = (purpose: string): Uint8Array => new Uint8Array(hkdfSync('sha256', secret, 'portico', purpose, 32));
  return { sessionTokens: derive('tokens'), encryption: derive('seal'), registrationSalt: derive('registration') };
}

function readOrCreateSecret(folder: string): string {
  const path = join(folder, 'secret.key');
  mkdirSync(folder, { recursive: true });
  try {
    // Of two processes that start together one makes it: the flag refuses a file that is there.
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
