import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Read } from '../../db/read.ts';
import type { Actor } from '../actor.ts';
import { hashToken, parseTokenKind, type TokenKind } from '../hosting-token.ts';
import { appActor, type VerifiedAppJwt, verifyAppJwt } from './app-jwt.ts';
import { classicActor } from './classic-token.ts';
import { fineGrainedActor } from './fine-grained-token.ts';
import { inheritedBounds } from './inherited-bounds.ts';
import { installationActor } from './installation-token.ts';
import { type ClientCredentials, clientActor, selectClient } from './oauth-app-basic.ts';
import { oauthActor } from './oauth-token.ts';
import { type StoredToken, selectStoredToken } from './stored-token.ts';
import { userToServerActor } from './user-to-server-token.ts';
import { workflowActor } from './workflow-token.ts';

/**
 * Milliseconds for which a process believes what it read of a credential. A change elsewhere is heard of at once
 * (`credentialChannel`); only while the connection that listens is away may it go unseen for so long.
 */
export const credentialCacheTtlMs = 5_000;
/** Channel of the notices that triggers send when a row behind a credential changes. */
export const credentialChannel = 'hosting_credentials';
/** Credentials remembered at once: some 1 KB each. */
const maxCachedCredentials = 10_000;

/** A credential that was read, or why it is not believed and for whom that counts. */
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
};

/**
 * What this process knows of credentials. A look-up is one statement, and for five seconds none; whatever a verb of this
 * process takes away is forgotten at once (`forget`), so that it holds for the next request.
 */
export class CredentialStore {
  readonly #read: Read;
  readonly #tokens = new LRUCache<string, { row: StoredToken; at: number }>({ max: maxCachedCredentials });
  readonly #jwts = new LRUCache<string, { signed: VerifiedAppJwt; at: number }>({ max: maxCachedCredentials });
  /** Rises with each `forget`: what was asked for before it may be what has just been taken away. */
  #generation = 0;

  constructor(read: Read) {
    this.#read = read;
  }

  /** To be called after the commit of whatever changes what a credential may do. */
  invalidate(): void {
    this.#generation++;
    this.#tokens.clear();
    this.#jwts.clear();
  }

  /** May throw for a suspended installation. */
  async verifyToken(text: string, ip: string, now: Date): Promise<CredentialLookup> {
    if (parseTokenKind(text) === undefined) return { refused: 'unknown', owner: undefined };
    const hash = hashToken(text);
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
    return { actor: actorBuilders[row.kind](row, ip), owner };
  }

  /** Rejects as `readAppJwt` and `appNow` do. */
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

  /** Not remembered: one statement, and few callers use it. */
  async verifyClient(client: ClientCredentials, ip: string, now: Date): Promise<CredentialLookup> {
    const [row] = await this.#read(selectClient(client, now));
    if (!row) return { refused: 'unknown', owner: undefined };
    const owner = `client ${client.clientId}`;
    const actor = clientActor(client, row, ip);
    return actor ? { actor, owner } : { refused: 'unknown', owner };
  }

  /** The owner that tokens of the user with this login have; undefined for a login of no user. */
  async findOwnerByLogin(login: string): Promise<string | undefined> {
    const [row] = await this.#read(
      sql<{ id: number }>`select id from account where lower(login) = lower(${login}) and kind = 'user'`,
    );
    return row && accountOwner(row.id);
  }
}

/** A clock that was put back makes nothing younger than it is. */
function unexpired<T extends { at: number }>(entry: T | undefined, now: Date): T | undefined {
  return entry && Math.abs(now.getTime() - entry.at) < credentialCacheTtlMs ? entry : undefined;
}

const accountOwner = (id: number): string => `account ${id}`;

/** Whose credentials a bad attempt with a known token counts for. */
function ownerOf({ accountId, installationId, repositoryId, id }: StoredToken): string {
  if (accountId !== null) return accountOwner(accountId);
  if (installationId !== null) return `installation ${installationId}`;
  return repositoryId === null ? `token ${id}` : `workflow ${repositoryId}`;
}
