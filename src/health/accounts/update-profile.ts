import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { bloodTypes } from '../../../schema/health/user.ts';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { notFound } from '../../errors/errors.ts';
import { checkExactNumber } from '../../errors/exact-number.ts';
import { fillStartValues } from '../goals/start-values.ts';
import { refreshTerms } from '../profiles/refresh-terms.ts';
import { type ProfileRow, profileOf } from './accounts.queries.ts';
import { personOf, requireOpenSession } from './person.ts';
import { preparePicture, type UploadedFile } from './profile-picture.ts';
import { checkedTimeZone } from './time-zone.ts';

/** What a person may change of a profile. An absent key changes nothing, null takes a value away. */
export interface ProfileChange {
  email?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  mobileNo?: string | null;
  gender?: string | null;
  dateOfBirth?: string | null;
  weightKg?: string | null;
  heightCm?: string | null;
  bloodType?: string | null;
  allergies?: string | null;
  hasHypertension?: string | null;
  hasDiabetes?: string | null;
  hasChronicCondition?: string | null;
  isSmoker?: string | null;
  hadRecentSurgery?: string | null;
  conditions?: string[] | null;
  symptoms?: string[] | null;
  aboutMe?: string | null;
  isVisibleInCommunity?: boolean | null;
  shareProfileWithAi?: boolean | null;
  profilePicture?: UploadedFile | null;
  timeZone?: string | null;
}

type Surroundings = Pick<Context, 'actor' | 'now' | 'origin' | 'transaction'>;
type Column = [name: string, value: unknown];

/** Changes one's own profile: all of it or, where a field is wrong, nothing. Throws field errors. */
export async function updateProfile(context: Surroundings, change: ProfileChange): Promise<ProfileRow> {
  const person = personOf(context.actor);
  const { userId } = person;
  const checks = new Checks();
  const columns = columnsOf(change, checks, context.now());
  const picture = change.profilePicture ? await preparePicture(change.profilePicture, checks) : change.profilePicture;
  checks.done();
  return context.transaction(async db => {
    await requireOpenSession(db, person, context.now());
    await checkEmail(db, userId, change.email, checks);
    if (change.timeZone !== undefined) columns.push(['time_zone', await checkedTimeZone(db, change.timeZone, checks)]);
    checks.done();
    if (picture !== undefined)
      columns.push(['picture', picture && (await storePicture(db, userId, picture, context.now()))]);
    if (columns.length > 0) {
      const assignments: RawBuilder<unknown>[] = columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
      await sql`update users set ${sql.join(assignments)} where id = ${userId} and deleted_at is null`.execute(db);
      await refreshTerms(db, [userId], context.now());
    }
    if (change.weightKg) await fillStartValues(db, userId, context.now());
    const profile = await profileOf(db, context, userId);
    if (!profile) throw notFound();
    return profile;
  });
}

function columnsOf(change: ProfileChange, checks: Checks, now: Date): Column[] {
  const columns: Column[] = [];
  const text = (column: string, value: string | null | undefined, rule: { most: number; blank?: boolean }): void => {
    if (value === undefined) return;
    if (value === null) checks.add(column, 'This field may not be null.');
    else columns.push([column, checks.text(column, value, rule)]);
  };
  const plain = (column: string, value: unknown): void => {
    if (value !== undefined) columns.push([column, value]);
  };
  text('first_name', change.firstName, { most: 150, blank: true });
  text('last_name', change.lastName, { most: 150, blank: true });
  text('allergies', change.allergies, { most: 1000, blank: true });
  text('about_me', change.aboutMe, { most: 500, blank: true });
  plain('mobile_no', mobileNumber(change.mobileNo, checks));
  plain('gender', change.gender);
  plain('date_of_birth', dateOfBirth(change.dateOfBirth, checks, now));
  plain('weight_kg', measure('weight_kg', change.weightKg, checks, 1, 500));
  plain('height_cm', measure('height_cm', change.heightCm, checks, 30, 272));
  plain('blood_type', bloodType(change.bloodType, checks));
  plain('has_hypertension', change.hasHypertension);
  plain('has_diabetes', change.hasDiabetes);
  plain('has_chronic_condition', change.hasChronicCondition);
  plain('is_smoker', change.isSmoker);
  plain('had_recent_surgery', change.hadRecentSurgery);
  for (const [column, values] of [
    ['conditions', change.conditions],
    ['symptoms', change.symptoms],
  ] as const) {
    if (values === null) checks.add(column, 'This field may not be null.');
    else if (values !== undefined) columns.push([column, checks.texts(column, values, { most: 50, longest: 100 })]);
  }
  for (const [column, value] of [
    ['is_visible_in_community', change.isVisibleInCommunity],
    ['share_profile_with_ai', change.shareProfileWithAi],
  ] as const) {
    if (value === null) checks.add(column, 'This field may not be null.');
    else plain(column, value);
  }
  return columns;
}

function mobileNumber(value: string | null | undefined, checks: Checks): string | null | undefined {
  if (!value) return value === '' ? null : value;
  const number = value.replace(/[\s().-]/g, '');
  if (!/^\+[1-9]\d{6,14}$/.test(number))
    checks.add('mobile_no', 'Enter a telephone number in the international form, such as +4915112345678.');
  return number;
}

function dateOfBirth(value: string | null | undefined, checks: Checks, now: Date): string | null | undefined {
  if (value && (value < '1900-01-01' || value >= now.toISOString().slice(0, 10))) {
    checks.add('date_of_birth', 'Ensure this date is in the past and not before 1900-01-01.');
  }
  return value;
}

const measure = (
  field: string,
  value: string | null | undefined,
  checks: Checks,
  least: number,
  most: number,
): string | null | undefined => checkExactNumber(checks, field, value, { digits: 5, places: 2, least, most });

function bloodType(value: string | null | undefined, checks: Checks): string | null | undefined {
  if (!value) return value === '' ? null : value;
  if (!bloodTypes.some(type => type === value))
    checks.add('blood_type', `"${value.slice(0, 20)}" is not a valid choice.`);
  return value;
}

/** The address is proved by mail and changed by none of this; repeating it changes nothing. */
async function checkEmail(
  db: Kysely<unknown>,
  userId: number,
  email: string | null | undefined,
  checks: Checks,
): Promise<void> {
  if (email === undefined) return;
  const same =
    await sql`select 1 from users where id = ${userId} and lower(email) is not distinct from lower(${email}::text)`.execute(
      db,
    );
  if (same.rows.length === 0) checks.add('email', 'The e-mail address cannot be changed here.');
}

async function storePicture(db: Kysely<unknown>, userId: number, content: Buffer, now: Date): Promise<string> {
  await sql`delete from media where user_id = ${userId} and id = (select picture from users where id = ${userId})`.execute(
    db,
  );
  const id = randomUUID();
  await sql`insert into media (id, user_id, media_type, content, created_at)
    values (${id}, ${userId}, 'image/webp', ${content}, ${now})`.execute(db);
  return id;
}
