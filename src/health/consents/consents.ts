import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ConsentPurpose, ConsentRecord } from '../../../schema/health/consent.ts';
import type { Config } from '../../config/config.ts';
import type { Read } from '../../db/read.ts';
import { purposeTexts, textVersion } from './purposes.ts';
import { noticeOfWithdrawal, watchedPurposes } from './watch-withdrawals.ts';

/** The host that messages are sent to; null where no model is configured. */
export const modelProvider = ({ AI_BASE_URL }: Pick<Config, 'AI_BASE_URL'>): string | null =>
  AI_BASE_URL === undefined ? null : new URL(AI_BASE_URL).host;

/** SQL: whether a consent of the person for this purpose is in force that names the provider, or none where none is configured. */
export const isConsentInForce = (
  userId: RawBuilder<unknown>,
  purpose: ConsentPurpose,
  provider: string | null,
): RawBuilder<boolean> =>
  sql`exists (select from consent k where k.user_id = ${userId} and k.purpose = ${purpose} and k.given_at is not null
    and k.withdrawn_at is null and k.provider is not distinct from ${provider}::text)`;

interface ModelConsent {
  /** `none`: the person has decided nothing about this provider yet. */
  state: 'given' | 'refused' | 'none';
  /** Numbers of the records that allow it, with those about the profile. */
  inForce: number[];
}

/** Whether the messages of a person may be sent to a provider. Read for each message, so that a withdrawal holds at once. */
export async function modelConsent(read: Read, userId: number, provider: string): Promise<ModelConsent> {
  const [last] = await read(sql<{ isGiven: boolean; inForce: number[] | null }>`
    select k.given_at is not null and k.withdrawn_at is null as "isGiven",
      (select json_agg(other.id) from consent other where other.user_id = k.user_id and other.given_at is not null
        and other.withdrawn_at is null and other.purpose = any(${watchedPurposes}::text[])) as "inForce"
    from consent k where k.user_id = ${userId} and k.purpose = 'messages_to_model' and k.provider = ${provider} order by k.id desc limit 1`);
  if (!last) return { state: 'none', inForce: [] };
  return { state: last.isGiven ? 'given' : 'refused', inForce: last.inForce ?? [] };
}

/** Whether none of the records has been withdrawn since they were read. */
export async function areStillInForce(read: Read, inForce: readonly number[]): Promise<boolean> {
  const withdrawn = await read(
    sql`select from consent where id = any(${[...inForce]}::bigint[]) and withdrawn_at is not null limit 1`,
  );
  return withdrawn.length === 0;
}

/** A decision: what is consented to from now on. `subjects` is `['']` for a purpose without any, and empty for a withdrawal. */
export interface ConsentDecision {
  purpose: ConsentPurpose;
  subjects: readonly string[];
  provider?: string | null;
}

/**
 * Records a decision in the transaction of the change that it allows: what is new is given, what is missing is withdrawn, and what is in force
 * for the same provider stays. A withdrawal of what was never given is kept as a refusal.
 */
export async function recordConsent(
  db: Kysely<unknown>,
  userId: number,
  { purpose, subjects, provider = null }: ConsentDecision,
  now: Date,
): Promise<void> {
  const wanted = sql`${[...subjects]}::text[]`;
  const withdrawn = await sql`update consent set withdrawn_at = ${now}
    where user_id = ${userId} and purpose = ${purpose} and given_at is not null and withdrawn_at is null
      and (subject <> all(${wanted}) or provider is distinct from ${provider}) returning id, ${noticeOfWithdrawal}`.execute(
    db,
  );
  await sql`insert into consent (user_id, purpose, subject, text_version, provider, given_at)
    select ${userId}, ${purpose}, wanted.subject, ${textVersion}, ${provider}, ${now} from unnest(${wanted}) wanted(subject)
    on conflict (user_id, purpose, subject) where given_at is not null and withdrawn_at is null do nothing`.execute(db);
  if (purpose !== 'messages_to_model' || subjects.length > 0 || withdrawn.rows.length > 0) return;
  await sql`insert into consent (user_id, purpose, text_version, provider, withdrawn_at)
    select ${userId}, ${purpose}, ${textVersion}, ${provider}, ${now}
    where not exists (select from consent where user_id = ${userId} and purpose = ${purpose}
      and provider is not distinct from ${provider})`.execute(db);
}

/** Records that everything is withdrawn, as the deletion of an account does. */
export async function withdrawConsents(db: Kysely<unknown>, userId: number, now: Date): Promise<void> {
  await sql`update consent set withdrawn_at = ${now}
    where user_id = ${userId} and given_at is not null and withdrawn_at is null returning ${noticeOfWithdrawal}`.execute(
    db,
  );
}

type ConsentRow = Omit<ConsentRecord, 'text'>;

const consentColumns = sql`purpose, subject, text_version as "textVersion", provider, given_at as "givenAt",
  withdrawn_at as "withdrawnAt"`;

/** The latest decisions of a person, the latest first. Most have few: each change of a profile makes at most some. */
export async function consentsOf(read: Read, userId: number, maxConsents: number): Promise<ConsentRecord[]> {
  const rows = await read(
    sql<ConsentRow>`select ${consentColumns} from consent where user_id = ${userId} order by id desc limit ${maxConsents}`,
  );
  return rows.map(row => ({ ...row, text: row.textVersion === textVersion ? purposeTexts[row.purpose] : '' }));
}

/** Decisions before the one with the number `before`, the latest first, with their numbers; the latest ones for null. */
export const consentsBefore = (
  read: Read,
  userId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<(ConsentRow & { number: number })[]> =>
  read(sql<ConsentRow & { number: number }>`select id as number, ${consentColumns} from consent
    where user_id = ${userId} and (${before}::bigint is null or id < ${before}) order by id desc limit ${limit}`);
