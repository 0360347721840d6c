import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';

/** A profile as returned to its owner; the GraphQL type `User`. */
export interface ProfileRow {
  id: number;
  email: string | null;
  firstName: string;
  lastName: string;
  fullName: string;
  mobileNo: string | null;
  gender: string | null;
  dateOfBirth: string | null;
  age: number | null;
  weightKg: string | null;
  heightCm: string | null;
  bmi: string | null;
  bloodType: string | null;
  allergies: string;
  hasHypertension: string | null;
  hasDiabetes: string | null;
  hasChronicCondition: string | null;
  isSmoker: string | null;
  hadRecentSurgery: string | null;
  conditions: string[];
  symptoms: string[];
  aboutMe: string;
  isVisibleInCommunity: boolean;
  shareProfileWithAi: boolean;
  profilePicture: string | null;
  isGuest: boolean;
  isVerified: boolean;
  isActive: boolean;
  dateJoined: string;
  lastLogin: string | null;
  timeZone: string | null;
}

/** Returns the profile of an account that is not deleted, or null. `db` may be a transaction. */
export async function findProfile(
  db: Kysely<unknown>,
  { origin, now }: Pick<Context, 'origin' | 'now'>,
  userId: number,
): Promise<ProfileRow | null> {
  const found = await sql<ProfileRow>`
    select id, email, first_name as "firstName", last_name as "lastName",
      case when is_guest then 'Guest' else trim(first_name || ' ' || last_name) end as "fullName",
      mobile_no as "mobileNo", gender, date_of_birth as "dateOfBirth",
      extract(year from age(${now()}::date, date_of_birth))::int as age,
      weight_kg as "weightKg", height_cm as "heightCm", round(weight_kg / (height_cm / 100) ^ 2, 1)::text as bmi,
      blood_type as "bloodType", allergies, has_hypertension as "hasHypertension", has_diabetes as "hasDiabetes",
      has_chronic_condition as "hasChronicCondition", is_smoker as "isSmoker", had_recent_surgery as "hadRecentSurgery",
      conditions, symptoms, about_me as "aboutMe", is_visible_in_community as "isVisibleInCommunity",
      share_profile_with_ai as "shareProfileWithAi",
      ${`${origin}/media/`}::text || picture as "profilePicture", is_guest as "isGuest", is_verified as "isVerified",
      is_active as "isActive", date_joined as "dateJoined", last_login as "lastLogin",
      time_zone as "timeZone"
    from users where id = ${userId} and deleted_at is null`.execute(db);
  return found.rows[0] ?? null;
}
