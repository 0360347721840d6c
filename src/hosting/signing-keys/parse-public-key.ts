import { serviceUnavailable, validationFailed } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { readSshKey } from '../ssh-keys/read-ssh-key.ts';
import type { run as parseKey } from './pgp-key-worker.ts';

export interface PublicKey {
  /** Stored form: an OpenSSH line without comment, or an armored block. */
  text: string;
  fingerprint: string;
  /** Ids of an OpenPGP key and its subkeys, 16 lower-case hex digits; empty for SSH. */
  keyIds: string[];
}

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
  const read = readSshKey(text);
  if (read === 'weak') throw invalidKey('RSA keys have at least 2048 bits.');
  if (typeof read === 'string') throw invalidKey('This is no public key of OpenSSH.');
  return { ...read, keyIds: [] };
}

/** Parsing 64 KB of user ids takes 1.2 s, most of it without yielding. */
const parsePgpKeyTask: WorkerTask<string, Awaited<ReturnType<typeof parseKey>>> = {
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
  if (key === 'several') throw invalidKey('These are several keys. Add them one at a time.');
  if (key === 'private') throw invalidKey('This is a private key. Never give it away; send the public one.');
  const { armored, fingerprint, keyIds } = key;
  return { text: armored, fingerprint, keyIds };
}
