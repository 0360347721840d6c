import { readKey } from 'openpgp';

/** Stored properties of an OpenPGP key. */
export interface ParsedPgpKey {
  armored: string;
  fingerprint: string;
  keyIds: string[];
}

/** Worker thread entry point. Returns `private` for a private key, undefined for invalid input. */
export async function run(text: string): Promise<ParsedPgpKey | 'private' | undefined> {
  try {
    const key = await readKey({ armoredKey: text });
    if (key.isPrivate()) return 'private';
    const keyIds = key.getKeyIDs().map(id => id.toHex());
    return { armored: key.armor(), fingerprint: key.getFingerprint().toUpperCase(), keyIds };
  } catch {
    return undefined;
  }
}
