import { sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { unknownPermissions } from '../credentials/create-token.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { maxTextLength, textProblems } from '../text-problems.ts';
import { newClientId, newClientSecret } from './client-secret.ts';

export interface NewApp {
  /** Number of the account that owns the app; the caller when omitted. */
  ownerId?: number | undefined;
  name: string;
  url: string;
  description?: string | null | undefined;
  permissions: PermissionMap;
  events?: readonly string[] | null | undefined;
  callbackUrl?: string | null | undefined;
}

/** Maximum events; about a hundred are published. */
const maxEvents = 200;

/** `Build helper, the 2nd` → `build-helper-the-2nd`. */
const slugFromName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

export function webAddressProblems(resource: string, field: string, text: string): ValidationEntry[] {
  const good = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && text.length <= 1000;
  return good ? [] : [{ resource, field, code: 'custom', message: 'It must be an http or https address.' }];
}

function eventProblems(events: readonly string[]): ValidationEntry[] {
  if (events.length > maxEvents) return [{ resource: 'App', field: 'events', code: 'too_large' }];
  return events.flatMap(one => textProblems('App', { events: [one, maxTextLength.line] })).slice(0, 1);
}

/**
 * Account id of the owner of a new app: the caller, or an organization that the caller administers.
 *
 * @throws 404 for other accounts.
 */
export async function requireAppOwnerId(context: Context, ownerId: number | undefined): Promise<number> {
  const { accountId } = callingUser(context.actor);
  if (ownerId === undefined || ownerId === accountId) return accountId;
  const found = await organizationFor(context, ownerId, 'org-administration:write');
  if (!found) throw notFound();
  return found.id;
}

/**
 * Registers an app. The client secret is returned once. The app needs a key before it can act.
 *
 * @throws 422 for invalid properties or a name that is taken.
 */
export async function createApp(context: Context, input: NewApp): Promise<{ id: number; clientSecret: string }> {
  const slug = slugFromName(input.name);
  const problems = [
    ...unknownPermissions(input.permissions),
    ...webAddressProblems('App', 'url', input.url),
    ...(input.callbackUrl == null ? [] : webAddressProblems('App', 'callbackUrl', input.callbackUrl)),
    ...textProblems('App', { description: [input.description, maxTextLength.description] }),
    ...eventProblems(input.events ?? []),
    ...(slug === '' || input.name.length > 100
      ? [{ resource: 'App', field: 'name', code: 'custom', message: 'A name has 1 to 100 characters.' } as const]
      : []),
  ];
  if (problems.length > 0) throw validationFailed(problems);
  // An installer can grant everything that an app requests, so it may not request more than its creator has.
  const { parentId } = assertGrantable(context.actor, { permissions: input.permissions });
  const ownerId = await requireAppOwnerId(context, input.ownerId);
  const { secret, hash } = newClientSecret();
  const { now } = context;
  try {
    const id = await context.transaction(async db => {
      const inserted = await sql<{ id: number }>`
        insert into app (owner_id, slug, name, client_id, client_secret_hash, description, external_url, permissions,
          events, callback_url, secret_by_id, created_at, updated_at)
        values (${ownerId}, ${slug}, ${input.name.trim()}, ${newClientId('app')}, ${hash}, ${input.description ?? null},
          ${input.url}, ${JSON.stringify(input.permissions)}, ${[...(input.events ?? [])]}, ${input.callbackUrl ?? null}, ${parentId}, ${now()},
          ${now()})
        returning id`.execute(db);
      return (inserted.rows[0] as { id: number }).id;
    });
    return { id, clientSecret: secret };
  } catch (error) {
    // The account of its bot is made first, so that its login is usually what is taken.
    if (isUniqueViolation(error, 'app_slug_key') || isUniqueViolation(error, 'account_login'))
      throw validationFailed([{ resource: 'App', field: 'name', code: 'already_exists' }]);
    throw error;
  }
}
