import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { accountOfNoreplyEmail, botOfNoreplyEmail } from './noreply-email.ts';

/**
 * DataLoader batch function: ids of the users and bots whose published, confirmed or whose noreply address an email address is,
 * in one statement; null for other addresses. An address that is confirmed but not published has no user here: a commit with it
 * would reveal the user.
 */
export async function loadUserIdsByEmail(
  { read, publicOrigin }: Context,
  emails: readonly string[],
): Promise<(number | null)[]> {
  const noreply = emails.map(email => accountOfNoreplyEmail(publicOrigin, email));
  const bots = emails.map(email => botOfNoreplyEmail(publicOrigin, email));
  const known = bots.filter(bot => bot !== undefined);
  // PostgreSQL text cannot contain NUL.
  const wanted = emails.map(email => email.replaceAll('\0', '').toLowerCase());
  const rows = await read(sql<{ id: number; email: string | null; bot: string | null }>`
    select a.id, lower(a.public_email) as email, null as bot from account_email e join account a on a.id = e.account_id
    where lower(e.email) = any(${wanted}::text[]) and e.verified_at is not null and lower(a.public_email) = lower(e.email)
    union all
    select a.id, null, null from account a
    where a.id = any(${noreply.filter(id => id !== undefined)}::bigint[]) and a.kind = 'user'
    union all
    select a.id, null, b.login
    from unnest(${known.map(({ id }) => id)}::bigint[], ${known.map(({ login }) => login)}::text[]) b (id, login)
    join account a on a.id = b.id and lower(a.login) = b.login and a.kind = 'bot'`);
  // Maps: contributors are up to 5,000 addresses.
  const published = new Map(rows.flatMap(({ id, email }) => (email === null ? [] : [[email, id]])));
  const users = new Set(rows.flatMap(({ id, email, bot }) => (email === null && bot === null ? [id] : [])));
  const botIds = new Map(rows.flatMap(({ id, bot }) => (bot === null ? [] : [[bot, id]])));
  return wanted.map((email, at) => {
    const [user, bot] = [noreply[at], bots[at]];
    const known = published.get(email);
    if (known !== undefined) return known;
    if (user !== undefined && users.has(user)) return user;
    return bot && botIds.get(bot.login) === bot.id ? bot.id : null;
  });
}
