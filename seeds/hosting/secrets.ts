import { hkdfSync, type KeyObject } from 'node:crypto';
import { type KeptToken, lettersOf, type TokenKind, tokenOf } from '../../src/auth/hosting-token.ts';
import type { Keys } from '../../src/auth/keys.ts';
import { derivedKey } from './derived-key.ts';

const letters = ({ seal }: Keys, purpose: string, length: number): string =>
  lettersOf(new Uint8Array(hkdfSync('sha256', seal, 'demo hosting', purpose, length)));

/** A token of the demo world. All its secrets follow from this installation's own, so no two demo worlds share them. */
export function demoToken(keys: Keys, kind: TokenKind, whose: string): { text: string; kept: KeptToken } {
  return tokenOf(kind, letters(keys, `${kind} ${whose}`, 36));
}

export const demoClientId = (keys: Keys, form: 'Iv' | 'Ov'): string => `${form}${letters(keys, `client ${form}`, 18)}`;
export const demoClientSecret = (keys: Keys, form: 'Iv' | 'Ov'): string => letters(keys, `client secret ${form}`, 40);
export const demoAppKey = ({ seal }: Keys): KeyObject => derivedKey(seal, 'app key');
