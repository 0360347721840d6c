import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../auth/actor.ts';
import { ipKey } from '../limits/rate-limit-keys.ts';

/** Characters of an id: 72 bits. */
const idLength = 12;
const maxKnown = 5_000;

/**
 * Names callers in logs and diagnostics by ids that say nothing of them: the same caller has the same id as long as SECRET_KEY is the same,
 * and nobody finds the account or the address of an id without trying them with the key.
 */
export function callerIds(key: Uint8Array): (actor: Actor) => string {
  const known = new LRUCache<string, string>({ max: maxKnown });
  return actor => {
    const name = nameOf(actor);
    const id = known.get(name) ?? createHmac('sha256', key).update(name).digest('base64url').slice(0, idLength);
    known.set(name, id);
    return id;
  };
}

/** The account where there is one, or else the kind of credential and the address (IPv6: the /64). */
function nameOf(actor: Actor): string {
  if (actor.kind === 'person') return `person:${actor.userId}`;
  if (actor.kind === 'user') return `user:${actor.accountId}`;
  return `${actor.kind}:${ipKey(actor.ip)}`;
}
