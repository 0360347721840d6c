import { type RawBuilder, sql } from 'kysely';
import { tokenScopeNames } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';

/** An app or an OAuth app, as the flows know it. */
export interface OauthClient {
  clientId: string;
  appId: number | null;
  oauthAppId: number | null;
  name: string;
  url: string;
  ownerLogin: string;
  /** Whether it has no secret (RFC 6749, section 2.1): it runs where it cannot keep one. */
  isPublic: boolean;
  /** Null for an app that has none, which cannot use the web flow. */
  callbackUrl: string | null;
}

/** The client with this id; null for none, and while its owner is suspended. */
export async function findOauthClient({ read }: Pick<Context, 'read'>, clientId: string): Promise<OauthClient | null> {
  if (!/^[\w.-]{1,64}$/.test(clientId)) return null;
  const of = sql`o.login as "ownerLogin"`;
  const isGood = sql`a.client_id = ${clientId} and o.suspended_at is null`;
  const [found] = await read(sql<OauthClient>`
    select a.client_id as "clientId", a.id as "appId", null::bigint as "oauthAppId", a.name, a.external_url as url, ${of},
      false as "isPublic", a.callback_url as "callbackUrl" from app a join account o on o.id = a.owner_id where ${isGood}
    union all select a.client_id, null, a.id, a.name, a.url, ${of}, a.client_secret_hash is null, a.callback_url
      from oauth_app a join account o on o.id = a.owner_id where ${isGood}`);
  return found ?? null;
}

/** Ids of a client. One of the two is null; both of a browser that signs in by a code. */
export type ClientIds = Pick<OauthClient, 'appId' | 'oauthAppId'>;

/** SQL condition over a table `alias` with the columns of both kinds of clients. */
export function isOfClient({ appId, oauthAppId }: ClientIds, alias: string): RawBuilder<unknown> {
  const [app, oauthApp] = [sql.ref(`${alias}.app_id`), sql.ref(`${alias}.oauth_app_id`)];
  if (appId !== null) return sql`${app} = ${appId}`;
  return oauthAppId === null ? sql`${app} is null and ${oauthApp} is null` : sql`${oauthApp} = ${oauthAppId}`;
}

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * The URI that the user returns to: the registered one, or the requested one if it is the same. Of a registered loopback address
 * any port is the same (RFC 8252, section 7.3). Undefined for every other.
 */
export function redirectUriOf({ callbackUrl }: OauthClient, requested: string | undefined): string | undefined {
  if (callbackUrl === null) return undefined;
  if (requested === undefined || requested === callbackUrl) return callbackUrl;
  if (!URL.canParse(requested) || !URL.canParse(callbackUrl) || requested.length > 2_000) return undefined;
  const [asked, registered] = [new URL(requested), new URL(callbackUrl)];
  if (registered.protocol !== 'http:' || !loopbackHosts.has(registered.hostname)) return undefined;
  // Compared as text, so that no other part differs in a way that parsing would hide.
  const withoutPort = (url: URL, text: string): string => text.replace(`//${url.host}`, `//${url.hostname}`);
  return withoutPort(asked, requested) === withoutPort(registered, callbackUrl) ? requested : undefined;
}

/** Scopes for what the product does not have. Clients of GitHub ask for them, and work without. */
const absentScopes = new Set([
  ...['gist', 'codespace', 'copilot', 'audit_log', 'security_events', 'user:assets'],
  ...['project', 'read:project', 'write:packages', 'read:packages', 'delete:packages', 'repo:status'],
  ...['repo_deployment', 'write:discussion', 'read:discussion', 'admin:gpg_key', 'write:gpg_key', 'read:gpg_key'],
  ...['admin:ssh_signing_key', 'write:ssh_signing_key', 'read:ssh_signing_key', 'manage_runners:org'],
]);

/** Scopes of a request, separated by spaces or commas; undefined where one is unknown. Apps have permissions and no scopes. */
export function requestedScopes({ appId }: OauthClient, text: string | undefined): string[] | undefined {
  if (appId !== null) return [];
  const scopes = [...new Set((text ?? '').split(/[\s,]+/).filter(one => one !== '' && !absentScopes.has(one)))];
  return scopes.every(one => tokenScopeNames.includes(one)) ? scopes : undefined;
}
