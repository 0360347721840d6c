import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnName } from '../../../schema/vocabulary/column-name.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { type ConsentDecision, modelProvider, recordConsent } from '../consents/consents.ts';
import { setMissingStartValues } from '../goals/set-start-values.ts';
import { checkDecimal } from '../input/decimal-checks.ts';
import { InputChecks } from '../input/input-checks.ts';
import type { TextLimits } from '../input/text-limits.ts';
import { refreshMatchingTerms } from '../profiles/matching-terms.ts';
import { showConditions } from '../profiles/shown-conditions.ts';
import { measureLimits, profileLimits } from './account-limits.ts';
import { findProfile, type ProfileRow } from './accounts.queries.ts';
import { checkBirth } from './check-birth.ts';
import { preparePicture, type UploadedFile } from './profile-picture.ts';
import { requireOpenSession, requirePerson } from './require-person.ts';
import { checkTimeZone } from './time-zone.ts';

/** Changes of a profile. An absent key changes nothing; null clears the value. */
export interface ProfileChange {
  email?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  phoneNumber?: string | null;
  gender?: string | null;
  bornOn?: string | null;
  weightKg?: string | null;
  heightCm?: string | null;
  bloodType?: string | null;
  /** As the REST contract takes it, unchecked. */
  bloodTypeCode?: string | null;
  allergies?: string | null;
  hasHypertension?: string | null;
  hasDiabetes?: string | null;
  hasChronicCondition?: string | null;
  isSmoker?: string | null;
  hadRecentSurgery?: string | null;
  conditions?: string[] | null;
  symptoms?: string[] | null;
  aboutMe?: string | null;
  displayName?: string | null;
  conditionsForPeers?: string[] | null;
  conditionsForSuggestions?: string[] | null;
  isVisibleInCommunity?: boolean | null;
  isProfileSharedWithAi?: boolean | null;
  areMessagesSharedWithAi?: boolean | null;
  picture?: UploadedFile | null;
  timeZone?: string | null;
}

type Dependencies = Pick<Context, 'actor' | 'config' | 'now' | 'origin' | 'transaction'>;
type Assignment = [name: string, value: unknown];

/**
 * Changes the caller's profile; all fields or, on an error, none.
 * @throws field errors
 */
export async function updateProfile(context: Dependencies, change: ProfileChange): Promise<ProfileRow> {
  const person = requirePerson(context.actor);
  const { userId } = person;
  const checks = new InputChecks();
  const columns = buildAssignments(change, checks, context);
  const picture = change.picture ? await preparePicture(change.picture, checks, String(userId)) : change.picture;
  checks.assertPassed();
  return context.transaction(async db => {
    await requireOpenSession(db, person, context.now());
    await checkEmailUnchanged(db, userId, change.email, checks);
    if (change.timeZone !== undefined) columns.push(['time_zone', await checkTimeZone(db, change.timeZone, checks)]);
    checks.assertPassed();
    if (picture !== undefined)
      columns.push(['picture', picture && (await storePicture(db, userId, picture, context.now()))]);
    if (columns.length > 0) {
      const assignments: RawBuilder<unknown>[] = columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
      await sql`update users set ${sql.join(assignments)} where id = ${userId} and deleted_at is null`.execute(db);
    }
    await showConditions(db, userId, change, checks);
    await recordDecisions(db, context, userId, change);
    await refreshMatchingTerms(db, [userId]);
    if (change.weightKg) await setMissingStartValues(db, userId, context.now());
    const profile = await findProfile(db, context, userId);
    if (!profile) throw notFound();
    return profile;
  });
}

function buildAssignments(
  change: ProfileChange,
  checks: InputChecks,
  context: Pick<Context, 'config' | 'now'>,
): Assignment[] {
  const columns: Assignment[] = [];
  const checkedBy =
    (check: 'text' | 'name') =>
    (field: string, value: string | null | undefined, rule: TextLimits): void => {
      if (value === undefined) return;
      if (value === null) checks.add(field, 'This field may not be null.');
      else columns.push([columnName(field), checks[check](field, value, rule)]);
    };
  const [text, name] = [checkedBy('text'), checkedBy('name')];
  const assign = (column: string, value: unknown): void => {
    if (value !== undefined) columns.push([column, value]);
  };
  name('firstName', change.firstName, profileLimits.firstName);
  name('lastName', change.lastName, profileLimits.lastName);
  name('displayName', change.displayName, profileLimits.displayName);
  text('allergies', change.allergies, profileLimits.allergies);
  text('aboutMe', change.aboutMe, profileLimits.aboutMe);
  assign('mobile_no', checkPhoneNumber(change.phoneNumber, checks));
  assign('gender', change.gender);
  assign('date_of_birth', checkBirth(change.bornOn, checks, context));
  assign('weight_kg', checkDecimal(checks, 'weightKg', change.weightKg, measureLimits.weightKg));
  assign('height_cm', checkDecimal(checks, 'heightCm', change.heightCm, measureLimits.heightCm));
  assign('blood_type', change.bloodType);
  assign('blood_type', checkBloodType(change.bloodTypeCode, checks));
  assign('has_hypertension', change.hasHypertension);
  assign('has_diabetes', change.hasDiabetes);
  assign('has_chronic_condition', change.hasChronicCondition);
  assign('is_smoker', change.isSmoker);
  assign('had_recent_surgery', change.hadRecentSurgery);
  for (const [field, values] of [
    ['conditions', change.conditions],
    ['symptoms', change.symptoms],
  ] as const) {
    if (values === null) checks.add(field, 'This field may not be null.');
    else if (values !== undefined) columns.push([columnName(field), checks.texts(field, values, profileLimits[field])]);
  }
  if (change.areMessagesSharedWithAi === null) checks.add('areMessagesSharedWithAi', 'This field may not be null.');
  for (const [field, column, value] of [
    ['isVisibleInCommunity', 'is_visible_in_community', change.isVisibleInCommunity],
    ['isProfileSharedWithAi', 'share_profile_with_ai', change.isProfileSharedWithAi],
  ] as const) {
    if (value === null) checks.add(field, 'This field may not be null.');
    else assign(column, value);
  }
  return columns;
}

/** Records what the person has consented to, or has withdrawn, by the change. */
async function recordDecisions(
  db: Kysely<unknown>,
  { config, now }: Pick<Context, 'config' | 'now'>,
  userId: number,
  change: ProfileChange,
): Promise<void> {
  const provider = modelProvider(config);
  const record = (decision: ConsentDecision): Promise<void> => recordConsent(db, userId, decision, now());
  const subjectsOf = (isGiven: boolean | null): string[] => (isGiven ? [''] : []);
  if (change.areMessagesSharedWithAi !== undefined)
    await record({ purpose: 'messages_to_model', subjects: subjectsOf(change.areMessagesSharedWithAi), provider });
  if (change.isProfileSharedWithAi !== undefined)
    await record({ purpose: 'profile_to_model', subjects: subjectsOf(change.isProfileSharedWithAi), provider });
  if (change.isVisibleInCommunity !== undefined)
    await record({ purpose: 'community', subjects: subjectsOf(change.isVisibleInCommunity) });
  const shown = await sql<{ peers: string[]; suggestions: string[] }>`
    select conditions_for_peers as peers, conditions_for_suggestions as suggestions from users where id = ${userId}`.execute(
    db,
  );
  const [lists] = shown.rows;
  // Also where a condition was removed from the profile.
  await record({ purpose: 'condition_for_peers', subjects: lists?.peers ?? [] });
  await record({ purpose: 'condition_for_suggestions', subjects: lists?.suggestions ?? [] });
}

// recheck-ignore: of texts of the length of a telephone number
const phoneNumberPattern = new RegExp(profileLimits.phoneNumber.pattern);

function checkPhoneNumber(value: string | null | undefined, checks: InputChecks): string | null | undefined {
  if (!value) return value === '' ? null : value;
  // The length first: removing takes 40 ms for a megabyte of blanks and hyphens.
  if (value.length <= profileLimits.phoneNumber.maxLength && phoneNumberPattern.test(value))
    return value.replace(/[\s().-]/g, '') || null;
  checks.add('phoneNumber', 'Enter a telephone number in the international form, such as +4915112345678.');
  return value;
}

function checkBloodType(value: string | null | undefined, checks: InputChecks): string | null | undefined {
  if (!value) return value === '' ? null : value;
  if (!profileLimits.bloodTypeCode.enum.includes(value))
    checks.add('bloodTypeCode', `"${value.slice(0, 20)}" is not a valid choice.`);
  return value;
}

/** The address can only change by mail verification, so it must equal the stored one. */
async function checkEmailUnchanged(
  db: Kysely<unknown>,
  userId: number,
  email: string | null | undefined,
  checks: InputChecks,
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
