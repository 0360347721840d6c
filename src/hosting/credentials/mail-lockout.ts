import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { lockoutMailLimit } from '../../limits/action-limits.ts';
import { queueMail } from '../../mail/send-mail.ts';

interface Recipient {
  accountId: number;
  login: string;
  email: string;
}

type Dependencies = Pick<Context, 'keys' | 'now' | 'rateLimiter' | 'transaction'>;

/**
 * Mails the user whose credentials, or whose app's, failed attempts have locked. At most three mails a day: who locks a user on purpose
 * must not fill the mailbox as well.
 * @param owner as the credential store names it
 */
export async function mailLockout(context: Dependencies, owner: string, seconds: number): Promise<void> {
  await context.transaction(async db => {
    const recipient = await findRecipient(db, owner);
    if (!recipient) return;
    const { accountId, login, email } = recipient;
    const { ok } = await context.rateLimiter.chargeLockout({ key: `mail lockout ${accountId}`, ...lockoutMailLimit });
    if (!ok) return;
    const facts = {
      name: login,
      what: owner.startsWith('account ') ? `the account ${login}` : `an app of ${login}`,
      minutes: Math.ceil(seconds / 60),
    };
    await queueMail(db, context.keys, { to: email, template: 'locked-out', facts, at: context.now() });
  });
}

/** The verified primary address of a user; that of the owner of an app or of a client. */
async function findRecipient(db: Kysely<unknown>, owner: string): Promise<Recipient | undefined> {
  const [, kind = '', key = ''] = /^(account|app|client) ([\w.-]{1,64})$/.exec(owner) ?? [];
  if (kind === '') return undefined;
  const owned =
    kind === 'account'
      ? sql`select ${Number(key)}::bigint as id`
      : kind === 'app'
        ? sql`select owner_id as id from app where id = ${Number(key)}`
        : sql`select owner_id as id from app where client_id = ${key}
            union select owner_id from oauth_app where client_id = ${key}`;
  const { rows } = await sql<Recipient>`
    select a.id as "accountId", a.login, e.email from account a join (${owned}) owned on owned.id = a.id
      join account_email e on e.account_id = a.id and e.is_primary and e.verified_at is not null
    where a.kind = 'user'`.execute(db);
  return rows[0];
}
