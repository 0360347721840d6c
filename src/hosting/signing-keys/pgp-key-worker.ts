import { readKeys, unarmor } from 'openpgp';

/** Stored properties of an OpenPGP key. */
export interface ParsedPgpKey {
  armored: string;
  fingerprint: string;
  keyIds: string[];
}

// recheck-ignore: at most 64 KB, in a worker thread with a deadline
const armoredBlock = /-----BEGIN PGP [A-Z ]+-----[\s\S]*?-----END PGP [A-Z ]+-----/g;

/**
 * Worker thread entry point. The text may hold several blocks, such as a key and its revocation certificate: they become one key.
 * Returns `private` for a private key, `several` for more than one key, undefined for invalid input.
 */
export async function run(text: string): Promise<ParsedPgpKey | 'private' | 'several' | undefined> {
  try {
    const blocks = await Promise.all((text.match(armoredBlock) ?? []).map(packetsOf));
    // Packets belong to the key before them.
    blocks.sort((one, other) => Number(startsWithKey(other)) - Number(startsWithKey(one)));
    const [key, ...others] = await readKeys({ binaryKeys: new Uint8Array(Buffer.concat(blocks)) });
    if (!key) return undefined;
    if (key.isPrivate()) return 'private';
    if (others.length > 0) return 'several';
    const keyIds = key.getKeyIDs().map(id => id.toHex());
    return { armored: key.armor(), fingerprint: key.getFingerprint().toUpperCase(), keyIds };
  } catch {
    return undefined;
  }
}

async function packetsOf(armored: string): Promise<Uint8Array> {
  const { data } = await unarmor(armored);
  return data as Uint8Array;
}

/** Whether the first packet is a key (RFC 9580, 4.2: bit 6 tells the two forms of the packet type apart). */
function startsWithKey([first = 0]: Uint8Array): boolean {
  const type = first & 0x40 ? first & 0x3f : (first >> 2) & 0x0f;
  return type === publicKeyPacket || type === secretKeyPacket;
}

const secretKeyPacket = 5;
const publicKeyPacket = 6;
