import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import type { Oid } from '../../git/object.ts';
import { oidBytes } from '../../git/repository.ts';
import { SignatureVerifier } from '../../git/signatures/signature-verifier.ts';
import { type SignedCommit, splitSignature } from '../../git/signatures/signed-commit.ts';
import { parseSshKey } from '../../git/signatures/ssh-signature.ts';
import {
  type KnownEmail,
  type KnownKey,
  parseSignerIdentity,
  type SignerIdentity,
  type VerificationReason,
} from '../../git/signatures/verify-commit.ts';
import type { SignedObject, VerifiedCommit } from './git-commit.ts';
import { accountOfNoreplyEmail } from './noreply-email.ts';

/** Bytes of a commit that are split and decoded in the time of a step. */
const bytesPerStep = 100;
/** Steps of parsing a signature: 0.2 ms for a usual one, 3 ms for one of 16 KB. */
const signatureSteps = 1_000;

/**
 * Milliseconds for the signatures of one request; the rest is `gpgverify_unavailable`, and found sooner next time, because verdicts are
 * kept. 100 commits with a key of 64 KB would take two minutes.
 */
const maxVerifyMs = 10_000;

/** One per process: it limits the CPU time of verifications. */
const processVerifier = new SignatureVerifier();

/**
 * The verification of the signatures of commits, in their order. A signature that was once found valid in the fork
 * network of its repository stays valid and is not computed again; a valid one is recorded. Every other status is
 * computed anew: a key may be added tomorrow. At most three statements for any number of commits, and none for unsigned
 * ones. Spends steps for the bytes of the commits.
 * @throws WorkBudgetError
 */
export async function verifyCommits(
  context: Pick<Context, 'read' | 'transaction' | 'now' | 'publicOrigin' | 'workBudget'>,
  commits: readonly SignedObject[],
  verifier: SignatureVerifier = processVerifier,
): Promise<VerifiedCommit[]> {
  const { workBudget } = context;
  const parts = new Map<SignedObject, SignedCommit>();
  for (const one of commits) {
    workBudget.spendSteps(1 + Math.ceil(one.object.content.length / bytesPerStep));
    if (workBudget.isTurnDue) await workBudget.turn();
    const found = splitSignature(one.object.content);
    if (found) parts.set(one, found);
  }
  const signed = [...parts.keys()];
  const before = await loadStored(context, signed);
  const open = signed.filter(one => !before.has(verificationKey(one)));
  const results = await verifySignatures(context, open, verifier);
  const valid = open.filter(one => results.get(verificationKey(one)) === 'valid');
  const recorded = await recordValid(context, valid);
  return commits.map((one): VerifiedCommit => {
    const key = verificationKey(one);
    const found = parts.get(one);
    if (!found) return { reason: 'unsigned', signature: null, payload: null, verifiedAt: null };
    const texts = { signature: found.signature.toString(), payload: found.payload.toString() };
    const since = before.get(key) ?? recorded.get(key);
    if (since !== undefined) return { reason: 'valid', ...texts, verifiedAt: since };
    return { reason: results.get(key) ?? 'gpgverify_error', ...texts, verifiedAt: null };
  });
}

/** Batch function of a DataLoader: the commits of one response are verified together. */
export const loadVerifications = (
  context: Context,
  rows: readonly SignedObject[],
  _wanted: Selection,
): Promise<VerifiedCommit[]> => verifyCommits(context, rows);

const networkIdOf = ({ place }: SignedObject): number => place.networkRootId ?? place.databaseId;
const verificationKey = (one: SignedObject): string => `${networkIdOf(one)}:${one.object.oid}`;

interface Stored {
  networkId: number;
  oid: Buffer;
  verifiedAt: string;
}

async function loadStored(
  { read }: Pick<Context, 'read'>,
  commits: readonly SignedObject[],
): Promise<Map<string, string>> {
  if (commits.length === 0) return new Map();
  const rows = await read(sql<Stored>`
    select v.network_id as "networkId", v.oid, v.verified_at as "verifiedAt"
    from unnest(${commits.map(networkIdOf)}::bigint[], ${commits.map(({ object }) => oidBytes(object.oid))}::bytea[]) as n (network_id, oid)
    join commit_verification v on v.network_id = n.network_id and v.oid = n.oid`);
  return bySha(rows);
}

function bySha(rows: readonly Stored[]): Map<string, string> {
  return new Map(rows.map(({ networkId, oid, verifiedAt }) => [`${networkId}:${oid.toString('hex')}`, verifiedAt]));
}

/** Keeps the first record: two requests that find the same commit valid return the same time. */
async function recordValid(
  context: Pick<Context, 'transaction' | 'now'>,
  commits: readonly SignedObject[],
): Promise<Map<string, string>> {
  if (commits.length === 0) return new Map();
  const unique = [...new Map(commits.map(one => [verificationKey(one), one])).values()];
  // Sorted, so that concurrent inserts of the same commits cannot deadlock.
  unique.sort((one, other) => (verificationKey(one) < verificationKey(other) ? -1 : 1));
  const networks = unique.map(networkIdOf);
  const oids: Oid[] = unique.map(({ object }) => object.oid);
  return context.transaction(async db => {
    const { rows } = await sql<Stored>`
      insert into commit_verification as v (network_id, oid, verified_at)
      select n.network_id, n.oid, ${context.now().toISOString()}::timestamptz
      from unnest(${networks}::bigint[], ${oids.map(oidBytes)}::bytea[]) as n (network_id, oid)
      on conflict (network_id, oid) do update set verified_at = v.verified_at
      returning v.network_id as "networkId", v.oid, v.verified_at as "verifiedAt"`.execute(db);
    return bySha(rows);
  });
}

/** Forgets deleted commits of a repository, unless another one of the fork network has them. To be called after their deletion. */
export async function forgetVerifications(
  db: Kysely<unknown>,
  repositoryId: number,
  commits: readonly Oid[],
): Promise<void> {
  if (commits.length === 0) return;
  await sql`
    delete from commit_verification v using repository r
    where r.id = ${repositoryId} and v.network_id = coalesce(r.network_root_id, r.id)
      and v.oid = any(${commits.map(oidBytes)}::bytea[])
      and not exists (select from repository n join git_object o on o.repository_id = n.id and o.oid = v.oid
        where n.id = v.network_id or n.network_root_id = v.network_id)`.execute(db);
}

async function verifySignatures(
  context: Pick<Context, 'read' | 'now' | 'publicOrigin' | 'workBudget'>,
  commits: readonly SignedObject[],
  verifier: SignatureVerifier,
): Promise<Map<string, VerificationReason>> {
  const results = new Map<string, VerificationReason>();
  if (commits.length === 0) return results;
  const { workBudget } = context;
  const signers = new Map<string, SignerIdentity>();
  for (const one of commits) {
    workBudget.spendSteps(signatureSteps + Math.ceil(one.object.content.length / bytesPerStep));
    if (workBudget.isTurnDue) await workBudget.turn();
    const signer = await parseSignerIdentity(one.object.content, one.object.oid);
    if (signer) signers.set(verificationKey(one), signer);
  }
  const { keys, emails } = await loadVerificationInput(context, [...signers.values()]);
  const keysById = groupBy(
    keys.flatMap(key => signerIdsOf(key).map(id => ({ id, key }))),
    ({ id }) => id,
  );
  const began = performance.now();
  const emailsByText = groupBy(emails, ({ email }) => email.toLowerCase());
  for (const one of commits) {
    const { oid, content } = one.object;
    const signer = signers.get(verificationKey(one));
    const theirEmails = emailsByText.get(signer?.committerEmail.toLowerCase() ?? '') ?? [];
    const theirs = new Set(theirEmails.map(({ accountId }) => accountId));
    const known = (signer && keysById.get(signerIdOf(signer)))?.map(({ key }) => key) ?? [];
    // Anybody can attach a foreign subkey to their own key, so a key of the committer comes first.
    const key = known.find(({ accountId }) => theirs.has(accountId)) ?? known[0];
    const input = { keys: key ? [key] : [], emails: theirEmails, now: context.now() };
    const isLate = performance.now() - began > maxVerifyMs;
    results.set(
      verificationKey(one),
      isLate ? 'gpgverify_unavailable' : (await verifier.verify(content, oid, input)).reason,
    );
  }
  return results;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** What a signature names its key by: a PGP key id, or an SSH key blob. */
const signerIdOf = ({ pgpKeyId, sshKey }: SignerIdentity): string => pgpKeyId ?? sshKey?.toString('base64') ?? '';

function signerIdsOf(key: KnownKey): readonly string[] {
  if (key.kind === 'pgp') return key.keyIds;
  const blob = parseSshKey(key.line);
  return blob ? [blob.toString('base64')] : [];
}

interface KnownRow {
  what: 'pgp' | 'ssh' | 'email';
  text: string;
  isVerified: boolean;
  accountId: number;
  keyIds: string[] | null;
}

/** The keys and email addresses of the signers, in one statement. */
async function loadVerificationInput(
  { read, publicOrigin }: Pick<Context, 'read' | 'publicOrigin'>,
  signers: readonly SignerIdentity[],
): Promise<{ keys: KnownKey[]; emails: KnownEmail[] }> {
  if (signers.length === 0) return { keys: [], emails: [] };
  const pgp = signers.flatMap(({ pgpKeyId }) => pgpKeyId ?? []);
  const ssh = signers.flatMap(({ sshKey }) => (sshKey ? sshFingerprint(sshKey) : []));
  // PostgreSQL text cannot contain NUL.
  const emails = signers.map(({ committerEmail }) => committerEmail.replaceAll('\0', '').toLowerCase());
  const noreplyEmails = emails.flatMap(email => {
    const id = accountOfNoreplyEmail(publicOrigin, email);
    return id === undefined ? [] : [{ id, email }];
  });
  const rows = await read(sql<KnownRow>`
    select k.kind as what, k.public_key as text, true as "isVerified", k.account_id as "accountId", k.key_ids as "keyIds" from signing_key k
      where k.revoked_at is null and k.key_ids && ${pgp}::text[]
    union all
    select k.kind, k.public_key, true, k.account_id, k.key_ids from signing_key k
      where k.revoked_at is null and k.kind = 'ssh' and k.fingerprint = any(${ssh}::text[])
    union all
    select 'email', e.email, e.verified_at is not null, e.account_id, null from account_email e
      where lower(e.email) = any(${emails}::text[])
    union all
    select 'email', n.email, true, a.id, null
      from unnest(${noreplyEmails.map(({ id }) => id)}::bigint[], ${noreplyEmails.map(({ email }) => email)}::text[]) as n (id, email)
      join account a on a.id = n.id and a.kind = 'user'`);
  const keys: KnownKey[] = [];
  for (const { what, text, accountId, keyIds } of rows) {
    if (what === 'ssh') keys.push({ kind: 'ssh', line: text, accountId });
    if (what === 'pgp') keys.push({ kind: 'pgp', armored: text, keyIds: keyIds ?? [], accountId });
  }
  return {
    keys,
    emails: rows.flatMap(({ what, text, isVerified, accountId }) =>
      what === 'email' ? [{ email: text, isVerified, accountId }] : [],
    ),
  };
}

/** In the format of OpenSSH, in which keys are stored. */
function sshFingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/(?<!=)=+$/, '')}`;
}
