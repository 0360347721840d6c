import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Read } from '../../db/read.ts';
import type { Actor } from '../actor.ts';
import { hashToken, parseToken, type TokenKind } from '../hosting-token.ts';
import { appActor, type VerifiedAppJwt, verifyAppJwt } from './app-jwt.ts';
import { classicActor } from './classic-token.ts';
import { fineGrainedActor } from './fine-grained-token.ts';
import { inheritedBounds } from './inherited-bounds.ts';
import { installationActor } from './installation-token.ts';
import { type ClientCredentials, clientActor, selectClient } from './oauth-app-basic.ts';
import { oauthActor } from './oauth-token.ts';
import { serviceActor } from './service-token.ts';
import { type StoredToken, selectStoredToken } from './stored-token.ts';
import { userToServerActor } from './user-to-server-token.ts';
import { workflowActor } from './workflow-token.ts';

/**
 * Milliseconds for which a process caches a credential. A notification announces a change by another process at once
 * (`credentialChannel`); only while the listening connection is lost does the change take this long.
 */
export const credentialCacheTtlMs = 5_000;
/** LISTEN/NOTIFY channel. Triggers send a notification when a row that a credential depends on changes. */
export const credentialChannel = 'hosting_credentials';
/** Cached credentials, about 1 KB each. */
const maxCachedCredentials = 10_000;

/** An accepted credential, or why it was refused and for which owner the attempt counts. */
export type CredentialLookup =
  | { actor: Actor; owner: string }
  | { refused: 'expired'; owner: string }
  | { refused: 'unknown' | 'revoked'; owner: string | undefined };

const actorBuilders: Record<TokenKind, (token: StoredToken, ip: string) => Actor> = {
  classic: classicActor,
  fine_grained: fineGrainedActor,
  oauth: oauthActor,
  user_to_server: userToServerActor,
  installation: installationActor,
  workflow: workflowActor,
  service: serviceActor,
};

/**
 * Looks credentials up, with a cache of five seconds. A lookup is one statement. A write function that revokes something
 * calls `invalidate`, so that the next request of this process sees it.
 */
export class CredentialStore {
  readonly #read: Read;
  readonly #recordUse: (credentialId: number) => void;
  readonly #onLockout: (owner: string, seconds: number) => Promise<void>;
  readonly #tokens = new LRUCache<string, { row: StoredToken; at: number }>({ max: maxCachedCredentials });
  readonly #jwts = new LRUCache<string, { signed: VerifiedAppJwt; at: number }>({ max: maxCachedCredentials });
  readonly #openSessions = new LRUCache<string, { at: number }>({ max: maxCachedCredentials });
  /** Incremented by `invalidate`: a lookup that began before may have read what has just been revoked, and is not cached. */
  #generation = 0;

  /**
   * @param recordUse called with the number of each token that is accepted; must not wait
   * @param onLockout called when an owner's credentials are locked
   */
  constructor(
    read: Read,
    recordUse: (credentialId: number) => void = () => {},
    onLockout: (owner: string, seconds: number) => Promise<void> = async () => {},
  ) {
    this.#read = read;
    this.#recordUse = recordUse;
    this.#onLockout = onLockout;
  }

  /** Tells an owner that failed attempts have locked its credentials for so many seconds. */
  noteLockout(owner: string, seconds: number): Promise<void> {
    return this.#onLockout(owner, seconds);
  }

  /** Clears the cache. Call it after the commit of a change to what a credential may do. */
  invalidate(): void {
    this.#generation++;
    this.#tokens.clear();
    this.#jwts.clear();
    this.#openSessions.clear();
  }

  /** @throws GraphQLError FORBIDDEN (403) for a suspended installation */
  async verifyToken(text: string, ip: string, now: Date): Promise<CredentialLookup> {
    const token = parseToken(text);
    if (token === undefined) return { refused: 'unknown', owner: undefined };
    const hash = hashToken(token.text);
    let row = unexpired(this.#tokens.get(hash), now)?.row;
    if (!row) {
      const generation = this.#generation;
      [row] = await this.#read(selectStoredToken(Buffer.from(hash, 'base64url'), now));
      if (row && generation === this.#generation) this.#tokens.set(hash, { row, at: now.getTime() });
    }
    if (!row) return { refused: 'unknown', owner: undefined };
    const owner = ownerOf(row);
    if (row.isRevoked) return { refused: 'revoked', owner };
    if (row.expiresAt !== null && Date.parse(row.expiresAt) <= now.getTime()) return { refused: 'expired', owner };
    const actor = actorBuilders[row.kind](row, ip);
    this.#recordUse(row.id);
    return { actor, owner };
  }

  /** @throws as `verifyAppJwt` and `appActor` do */
  async verifyJwt(text: string, ip: string, now: Date): Promise<CredentialLookup> {
    const hash = hashToken(text);
    let signed = unexpired(this.#jwts.get(hash), now)?.signed;
    if (!signed) {
      const generation = this.#generation;
      signed = await verifyAppJwt(this.#read, text, now);
      if (generation === this.#generation) this.#jwts.set(hash, { signed, at: now.getTime() });
    }
    const { above, ...app } = signed;
    return { actor: { ...appActor(app, ip, now), bounds: inheritedBounds(above) }, owner: `app ${signed.appId}` };
  }

  /** Whether the session of a browser has neither ended nor expired. */
  async isSessionOpen(id: string, now: Date): Promise<boolean> {
    if (unexpired(this.#openSessions.get(id), now)) return true;
    const generation = this.#generation;
    const [open] = await this.#read(
      sql`select 1 from browser_session where id = ${id} and ended_at is null and expires_at > ${now.toISOString()}`,
    );
    if (open && generation === this.#generation) this.#openSessions.set(id, { at: now.getTime() });
    return open !== undefined;
  }

  /** Not cached: it is one statement, and few callers use it. */
  async verifyClient(client: ClientCredentials, ip: string, now: Date): Promise<CredentialLookup> {
    const [row] = await this.#read(selectClient(client, now));
    if (!row) return { refused: 'unknown', owner: undefined };
    const owner = `client ${client.clientId}`;
    const actor = clientActor(client, row, ip);
    return actor ? { actor, owner } : { refused: 'unknown', owner };
  }

  /** The owner key of the user with this login; undefined when there is none. */
  async findOwnerByLogin(login: string): Promise<string | undefined> {
    const [row] = await this.#read(
      sql<{ id: number }>`select id from account where lower(login) = lower(${login}) and kind = 'user'`,
    );
    return row && accountOwner(row.id);
  }
}

/** Compares the absolute difference, so that a clock that was set back keeps no entry alive. */
function unexpired<T extends { at: number }>(entry: T | undefined, now: Date): T | undefined {
  return entry && Math.abs(now.getTime() - entry.at) < credentialCacheTtlMs ? entry : undefined;
}

const accountOwner = (id: number): string => `account ${id}`;

/** The owner that a failed attempt with a known token counts for. */
function ownerOf({ accountId, installationId, repositoryId, id }: StoredToken): string {
  if (accountId !== null) return accountOwner(accountId);
  if (installationId !== null) return `installation ${installationId}`;
  return repositoryId === null ? `token ${id}` : `workflow ${repositoryId}`;
}
