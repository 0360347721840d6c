import { readKey } from 'openpgp';

/** What is kept of a public key. */
export interface ParsedPgpKey {
  armored: string;
  fingerprint: string;
  keyIds: string[];
}

/** Runs on a thread of the pool. `private` for a private key, undefined for what is no key. */
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
