import { createHash } from 'node:crypto';
import { serviceUnavailable, validationFailed } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import type { ParsedPgpKey } from './pgp-key-worker.ts';

export interface PublicKey {
  /** As it is kept: one line of OpenSSH without its comment, or the armored block. */
  text: string;
  fingerprint: string;
  /** Of a PGP key and its subkeys, 16 hex digits in lower case; none of an SSH key. */
  keyIds: string[];
}

const sshKinds = new Set([
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]);
const maxKeyLength = 64 * 1024;

const invalidKey = (message: string): Error =>
  validationFailed([{ resource: 'SigningKey', field: 'publicKey', code: 'custom', message }]);

/** Reads a public key that somebody wants to sign with. Throws rule entries for what is none, and for a private one. */
export async function parsePublicKey(kind: 'ssh' | 'pgp', text: string): Promise<PublicKey> {
  if (text.length > maxKeyLength) throw invalidKey('The key is too long.');
  if (/PRIVATE KEY/.test(text)) throw invalidKey('This is a private key. Never give it away; send the public one.');
  return kind === 'ssh' ? parseSshKey(text) : parsePgpKey(text);
}

function parseSshKey(text: string): PublicKey {
  const [kind = '', body = ''] = text.trim().split(/\s+/);
  const bytes = Buffer.from(body, 'base64');
  // The kind stands inside as well: length and name.
  const inside = bytes.length > 4 ? bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString('latin1') : '';
  if (!sshKinds.has(kind) || inside !== kind || bytes.toString('base64') !== body) {
    throw invalidKey('This is no public key of OpenSSH.');
  }
  const fingerprint = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
  return { text: `${kind} ${body}`, fingerprint: `SHA256:${fingerprint}`, keyIds: [] };
}

/** 64 KB of user ids take 1.2 s to read, most of it in one piece. */
const parsePgpKeyTask: WorkerTask<string, ParsedPgpKey | 'private' | undefined> = {
  name: 'public keys',
  program: programBeside(import.meta.url, 'pgp-key-worker'),
  deadlineMs: 3_000,
  maxQueued: 20,
  maxQueuedPerKey: 20,
  maxQueueMs: 5_000,
};

async function parsePgpKey(text: string): Promise<PublicKey> {
  const outcome = await workerPool.run(parsePgpKeyTask, text);
  if (outcome.kind === 'busy') throw serviceUnavailable({ reason: 'keys_busy' });
  const key = outcome.kind === 'done' ? outcome.value : undefined;
  if (key === undefined) throw invalidKey('This is no public key of OpenPGP.');
  if (key === 'private') throw invalidKey('This is a private key. Never give it away; send the public one.');
  const { armored, fingerprint, keyIds } = key;
  return { text: armored, fingerprint, keyIds };
}
