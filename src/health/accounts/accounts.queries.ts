import { type Kysely, sql } from 'kysely';
import { Person } from '../../../schema/health/person.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { isConsentInForce, modelProvider } from '../consents/consents.ts';

/** A profile as returned to its owner; the GraphQL type `Person`. */
export type ProfileRow = Omit<
  Person,
  'passwordHash' | 'picture' | 'ageGroup' | 'lastSeenAt' | 'erasedAt' | 'suspendedUntil'
>;

type ProfileRequest = Pick<Context, 'config' | 'origin' | 'now'>;

const profileSelectList = columnsOf(Person, 'users', {
  computed: {
    fullName: "case when is_guest then 'Guest' else trim(first_name || ' ' || last_name) end",
    age: ({ now }: ProfileRequest) => sql`extract(year from age(${now()}::date, date_of_birth))::int`,
    bmi: 'round(weight_kg / (height_cm / 100) ^ 2, 1)::text',
    bloodTypeCode: 'blood_type',
    // What was allowed for another provider is not sent to this one.
    areMessagesSharedWithAi: ({ config }: ProfileRequest) =>
      isConsentInForce(sql`users.id`, 'messages_to_model', modelProvider(config)),
    isProfileSharedWithAi: ({ config }: ProfileRequest) =>
      sql`(share_profile_with_ai and ${isConsentInForce(sql`users.id`, 'profile_to_model', modelProvider(config))})`,
    pictureUrl: ({ origin }: ProfileRequest) => sql`${`${origin}/media/`}::text || picture`,
  },
});

/** Returns the profile of an account that is not deleted, or null. `db` may be a transaction. */
export async function findProfile(
  db: Kysely<unknown>,
  { config, origin, now }: ProfileRequest,
  userId: number,
): Promise<ProfileRow | null> {
  const found = await sql<ProfileRow>`
    select ${profileSelectList('all', { config, origin, now })} from users where id = ${userId} and deleted_at is null`.execute(
    db,
  );
  return found.rows[0] ?? null;
}

/** What the fields of the caller's Person are resolved from: the key, and the selected columns of the profile. */
export type ViewerRow = { id: number; databaseId: number } & Partial<ProfileRow>;

/**
 * The caller as a Person. Reads the selected columns of the profile, and nothing if none is: the lists of a person are fields of it
 * and need its key alone. Null when the account was deleted.
 */
export async function findViewer(
  { config, origin, now, read }: ProfileRequest & Pick<Context, 'read'>,
  userId: number,
  wanted: Selection,
): Promise<ViewerRow | null> {
  const key = { id: userId, databaseId: userId };
  if (!profileSelectList.names.some(name => !(name in key) && wanted.has(name))) return key;
  const [found] = await read(sql<Partial<ProfileRow>>`
    select ${profileSelectList(wanted, { config, origin, now })} from users where id = ${userId} and deleted_at is null`);
  return found ? { ...found, ...key } : null;
}
