import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { bytesOf } from '../../git/repository.ts';
import { SignatureDesk } from '../../git/signatures/signature-desk.ts';
import { splitSignature } from '../../git/signatures/signed-commit.ts';
import {
  type Claim,
  claimOf,
  type KnownEmail,
  type KnownKey,
  type Verification,
} from '../../git/signatures/verify-commit.ts';
import { accountOfAddress } from './addresses-of-nobody.ts';
import type { GitCommitRow, VerifiedCommit } from './git-commit.ts';

/** One for the process: it bounds how much of its CPU signatures may take. */
const deskOfProcess = new SignatureDesk();

/**
 * What the signatures of commits are worth, in the order of the commits. One that was found valid in the network of its
 * repository before stays so and is not computed again; one that is found valid now is noted. All other verdicts are of the
 * moment: a key may be added tomorrow. At most three statements for any number of commits, and none where nobody signed.
 */
export async function verificationsOf(
  context: Pick<Context, 'read' | 'transaction' | 'now' | 'publicOrigin'>,
  commits: readonly Pick<GitCommitRow, 'place' | 'object'>[],
  desk: SignatureDesk = deskOfProcess,
): Promise<VerifiedCommit[]> {
  const signed = commits.filter(({ object }) => splitSignature(object.content));
  const before = await storedOf(context, signed);
  const open = signed.filter(one => !before.has(keyOf(one)));
  const verdicts = await judge(context, open, desk);
  const valid = open.filter(one => verdicts.get(keyOf(one))?.reason === 'valid');
  const noted = await note(context, valid);
  return commits.map((one): VerifiedCommit => {
    const key = keyOf(one);
    const parts = splitSignature(one.object.content);
    if (!parts) return { reason: 'unsigned', signature: null, payload: null, verifiedAt: null };
    const texts = { signature: parts.signature.toString(), payload: parts.payload.toString() };
    const since = before.get(key) ?? noted.get(key);
    if (since !== undefined) return { reason: 'valid', ...texts, verifiedAt: since };
    return { reason: 'gpgverify_error', ...texts, ...verdicts.get(key), verifiedAt: null };
  });
}

/** For a DataLoader: the commits of one answer are verified together. */
export const loadVerifications = (
  context: Context,
  rows: readonly GitCommitRow[],
  _wanted: Selection,
): Promise<VerifiedCommit[]> => verificationsOf(context, rows);

type Signed = Pick<GitCommitRow, 'place' | 'object'>;

const networkOf = ({ place }: Signed): number => place.networkRootId ?? place.databaseId;
const keyOf = (one: Signed): string => `${networkOf(one)}:${one.object.oid}`;

interface Stored {
  networkId: number;
  oid: Buffer;
  verifiedAt: string;
}

async function storedOf({ read }: Pick<Context, 'read'>, commits: readonly Signed[]): Promise<Map<string, string>> {
  if (commits.length === 0) return new Map();
  const rows = await read(sql<Stored>`
    select v.network_id as "networkId", v.oid, v.verified_at as "verifiedAt"
    from unnest(${commits.map(networkOf)}::bigint[], ${commits.map(({ object }) => bytesOf(object.oid))}::bytea[]) as n (network_id, oid)
    join commit_verification v on v.network_id = n.network_id and v.oid = n.oid`);
  return bySha(rows);
}

function bySha(rows: readonly Stored[]): Map<string, string> {
  return new Map(rows.map(({ networkId, oid, verifiedAt }) => [`${networkId}:${oid.toString('hex')}`, verifiedAt]));
}

/** Keeps who comes first: of two that find the same commit valid both tell the same time. */
async function note(
  context: Pick<Context, 'transaction' | 'now'>,
  commits: readonly Signed[],
): Promise<Map<string, string>> {
  if (commits.length === 0) return new Map();
  const unique = [...new Map(commits.map(one => [keyOf(one), one])).values()];
  // In one order for all, so that two answers that note the same commits never wait for each other in a circle.
  unique.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const networks = unique.map(networkOf);
  const oids: Oid[] = unique.map(({ object }) => object.oid);
  return context.transaction(async db => {
    const { rows } = await sql<Stored>`
      insert into commit_verification as v (network_id, oid, verified_at)
      select n.network_id, n.oid, ${context.now().toISOString()}::timestamptz
      from unnest(${networks}::bigint[], ${oids.map(bytesOf)}::bytea[]) as n (network_id, oid)
      on conflict (network_id, oid) do update set verified_at = v.verified_at
      returning v.network_id as "networkId", v.oid, v.verified_at as "verifiedAt"`.execute(db);
    return bySha(rows);
  });
}

async function judge(
  context: Pick<Context, 'read' | 'now' | 'publicOrigin'>,
  commits: readonly Signed[],
  desk: SignatureDesk,
): Promise<Map<string, Verification>> {
  const verdicts = new Map<string, Verification>();
  if (commits.length === 0) return verdicts;
  const claims = new Map<string, Claim>();
  for (const one of commits) {
    const claim = await claimOf(one.object.content, one.object.oid);
    if (claim) claims.set(keyOf(one), claim);
  }
  const { keys, emails } = await knowledgeOf(context, [...claims.values()]);
  for (const one of commits) {
    const { oid, content } = one.object;
    const committer = claims.get(keyOf(one))?.committerEmail.toLowerCase();
    const theirs = new Set(
      emails.filter(({ email }) => email.toLowerCase() === committer).map(({ accountId }) => accountId),
    );
    // Somebody may hang the subkey of another one on a key of their own: those of the committer come first.
    const sorted = keys.toSorted((a, b) => Number(theirs.has(b.accountId)) - Number(theirs.has(a.accountId)));
    verdicts.set(keyOf(one), await desk.verify(content, oid, { keys: sorted, emails, now: context.now() }));
  }
  return verdicts;
}

interface KnownRow {
  what: 'pgp' | 'ssh' | 'email';
  text: string;
  isVerified: boolean;
  accountId: number;
  keyIds: string[] | null;
}

/** The keys and addresses that the claims name, in one statement. */
async function knowledgeOf(
  { read, publicOrigin }: Pick<Context, 'read' | 'publicOrigin'>,
  claims: readonly Claim[],
): Promise<{ keys: KnownKey[]; emails: KnownEmail[] }> {
  if (claims.length === 0) return { keys: [], emails: [] };
  const pgp = claims.flatMap(({ pgpKeyId }) => pgpKeyId ?? []);
  const ssh = claims.flatMap(({ sshKey }) => (sshKey ? fingerprintOf(sshKey) : []));
  // No column holds what PostgreSQL calls no text.
  const emails = claims.map(({ committerEmail }) => committerEmail.replaceAll('\0', '').toLowerCase());
  const nobodies = emails.flatMap(email => {
    const id = accountOfAddress(publicOrigin, email);
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
      from unnest(${nobodies.map(({ id }) => id)}::bigint[], ${nobodies.map(({ email }) => email)}::text[]) as n (id, email)
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

/** As OpenSSH prints it, and as keys are kept. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
