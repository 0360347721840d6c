import { hkdfSync, type KeyObject } from 'node:crypto';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import { buildToken, encodeBase62, type TokenKind, type TokenRecord } from '../../src/auth/hosting-token.ts';
import { deriveRsaKey } from './derived-key.ts';

const deriveLetters = ({ demo }: DerivedKeys, purpose: string, length: number): string =>
  encodeBase62(new Uint8Array(hkdfSync('sha256', demo, 'demo hosting', purpose, length)));

/** A demo token, derived from the installation's secret, so it differs between installations. */
export function demoToken(keys: DerivedKeys, kind: TokenKind, whose: string): { text: string; record: TokenRecord } {
  return buildToken(kind, deriveLetters(keys, `${kind} ${whose}`, 36));
}

export const demoClientId = (keys: DerivedKeys, form: 'Iv' | 'Ov'): string =>
  `${form}${deriveLetters(keys, `client ${form}`, 18)}`;
export const demoClientSecret = (keys: DerivedKeys, form: 'Iv' | 'Ov'): string =>
  deriveLetters(keys, `client secret ${form}`, 40);
export const demoAppKey = ({ demo }: DerivedKeys): KeyObject => deriveRsaKey(demo, 'app key');
