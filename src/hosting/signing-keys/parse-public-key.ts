import { createHash } from 'node:crypto';
import { serviceUnavailable, validationFailed } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import type { ParsedPgpKey } from './pgp-key-worker.ts';

export interface PublicKey {
  /** Stored form: an OpenSSH line without comment, or an armored block. */
  text: string;
  fingerprint: string;
  /** Ids of an OpenPGP key and its subkeys, 16 lower-case hex digits; empty for SSH. */
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

/**
 * Parses a public signing key.
 *
 * @throws 422 for invalid and private keys; 503 when no worker thread is free.
 */
export async function parsePublicKey(kind: 'ssh' | 'pgp', text: string): Promise<PublicKey> {
  if (text.length > maxKeyLength) throw invalidKey('The key is too long.');
  if (/PRIVATE KEY/.test(text)) throw invalidKey('This is a private key. Never give it away; send the public one.');
  return kind === 'ssh' ? parseSshKey(text) : parsePgpKey(text);
}

function parseSshKey(text: string): PublicKey {
  const [kind = '', body = ''] = text.trim().split(/\s+/);
  const bytes = Buffer.from(body, 'base64');
  // The encoded key begins with the length and name of its type.
  const inside = bytes.length > 4 ? bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString('latin1') : '';
  if (!sshKinds.has(kind) || inside !== kind || bytes.toString('base64') !== body) {
    throw invalidKey('This is no public key of OpenSSH.');
  }
  const fingerprint = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
  return { text: `${kind} ${body}`, fingerprint: `SHA256:${fingerprint}`, keyIds: [] };
}

/** Parsing 64 KB of user ids takes 1.2 s, most of it without yielding. */
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
