import { type Kysely, sql } from 'kysely';
import { decrypt, encrypt } from '../../auth/encryption.ts';
import type { Context } from '../../context/context.ts';
import { encodeCommit, type NewCommit } from '../../git/commit.ts';
import type { Identity, Person } from '../../git/person.ts';
import { noreplyEmail } from './noreply-email.ts';

/** Signs commits that the service makes for a caller. */
interface ServiceSigner {
  /** The committer of a signed commit: a signature is valid for the committer's address only. */
  committer: Identity;
  /** The bytes of the commit, with a PGP signature by the key of the service. */
  sign(commit: NewCommit): Promise<Buffer>;
}

/** Makes the bytes of a commit. */
export type CommitEncoder = (commit: Pick<NewCommit, 'tree' | 'parents' | 'message'>) => Promise<Buffer>;

/** Encodes commits of these people; of a signed one the service is the committer. */
export async function commitEncoder(
  context: SignerContext,
  people: { author: Person; committer: Person },
  isSigned: boolean,
): Promise<CommitEncoder> {
  if (!isSigned) return async commit => encodeCommit({ ...commit, ...people });
  const signer = await serviceSigner(context);
  const committer = { ...people.committer, ...signer.committer };
  return commit => signer.sign({ ...commit, author: people.author, committer });
}

/** Whether the caller is a program, which has no signing key of its own, and names no people for the commit. */
export const isSignedForCaller = (
  { actor }: Pick<Context, 'actor'>,
  { author, committer }: { author?: object | null | undefined; committer?: object | null | undefined },
): boolean => (actor.kind === 'installation' || actor.kind === 'workflow') && !author && !committer;

type SignerContext = Pick<Context, 'read' | 'transaction' | 'keys' | 'publicOrigin' | 'now'>;

const login = 'web-flow';
const purpose = 'service signing key';

/** The signer of this service. Its account and its key are created on first use; the public key is one of the account's signing keys. */
async function serviceSigner(context: SignerContext): Promise<ServiceSigner> {
  const { email, encryptedKey } = (await readKey(context)) ?? (await createKey(context));
  const committer = { name: login, email };
  return {
    committer,
    async sign(commit) {
      // 1.2 MB of code, which a gateway without apps never needs.
      const { createMessage, readPrivateKey, sign } = await import('openpgp');
      const signingKeys = await readPrivateKey({ armoredKey: decrypt(context.keys.encryption, encryptedKey, purpose) });
      const message = await createMessage({ binary: new Uint8Array(encodeCommit(commit)) });
      const signature = await sign({ message, signingKeys, detached: true, date: context.now() });
      return encodeCommit({ ...commit, signature });
    },
  };
}

interface StoredKey {
  email: string;
  encryptedKey: string;
}

/** The key of the current committer address, which contains the public origin: another origin gets another key. */
async function readKey(context: Pick<SignerContext, 'read' | 'publicOrigin'>): Promise<StoredKey | undefined> {
  const { publicOrigin } = context;
  const keys = await context.read(sql<StoredKey & { accountId: number }>`
    select email, account_id as "accountId", encrypted_key as "encryptedKey" from service_signing_key`);
  return keys.find(({ email, accountId }) => email === noreplyEmail(publicOrigin, accountId, login));
}

async function createKey(context: SignerContext): Promise<StoredKey> {
  const { keys, publicOrigin } = context;
  const now = context.now();
  return context.transaction(async db => {
    // Concurrent first uses create one account and one key.
    await sql`lock table service_signing_key in share row exclusive mode`.execute(db);
    const accountId = (await existingAccount(db)) ?? (await createAccount(db, now));
    const email = noreplyEmail(publicOrigin, accountId, login);
    const stored = await sql<StoredKey>`
      select email, encrypted_key as "encryptedKey" from service_signing_key where email = ${email}`.execute(db);
    if (stored.rows[0]) return stored.rows[0];
    const { generateKey } = await import('openpgp');
    // A day earlier: the clock of another gateway may be late, and a signature must not be older than its key.
    const date = new Date(now.getTime() - 86_400_000);
    const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: login, email }], date, format: 'object' });
    const encryptedKey = encrypt(keys.encryption, privateKey.armor(), purpose);
    await sql`
      insert into signing_key (account_id, kind, title, public_key, fingerprint, key_ids, created_at)
      values (${accountId}, 'pgp', ${login}, ${publicKey.armor()}, ${publicKey.getFingerprint().toUpperCase()},
        ${publicKey.getKeyIDs().map(id => id.toHex())}, ${now})`.execute(db);
    await sql`
      insert into service_signing_key (email, account_id, encrypted_key, created_at)
      values (${email}, ${accountId}, ${encryptedKey}, ${now})`.execute(db);
    return { email, encryptedKey };
  });
}

async function existingAccount(db: Kysely<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`select account_id as id from service_signing_key limit 1`.execute(db);
  return rows[0]?.id;
}

/** The login is reserved now; a person may have taken it before, so that the account gets another one. */
async function createAccount(db: Kysely<unknown>, now: Date): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into account (kind, login, created_at, updated_at)
    select 'user', name.login, ${now}, ${now}
    from (select ${login} || case when n = 1 then '' else '-' || n end as login, n from generate_series(1, 100) as n) as name
    where not exists (select from account a where lower(a.login) = name.login)
    order by name.n limit 1
    returning id`.execute(db);
  if (!rows[0]) throw new Error('The account that signs commits has no login.');
  return rows[0].id;
}
