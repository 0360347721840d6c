import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';

/** The name and address under which the caller commits. */
export interface Signature {
  name: string;
  email: string;
}

/**
 * Of a user the name for people and the primary address, if it is proved; else an address that receives nothing and
 * names the account. Apps and workflows are bots, with such an address as well.
 */
export async function committingCaller(context: Pick<Context, 'actor' | 'read' | 'origin'>): Promise<Signature> {
  const { actor, read } = context;
  const nowhere = (id: number, login: string): string =>
    `${id}+${login}@users.noreply.${new URL(context.origin).hostname}`;
  if (actor.kind === 'user') {
    const [found] = await read(sql<{ name: string | null; email: string | null }>`
      select a.name, e.email from account a
      left join account_email e on e.account_id = a.id and e.is_primary and e.verified_at is not null
      where a.id = ${actor.accountId}`);
    const { name = null, email = null } = found ?? {};
    return { name: name?.trim() || actor.login, email: email ?? nowhere(actor.accountId, actor.login) };
  }
  if (actor.kind === 'installation') {
    const [app] = await read(sql<{ slug: string }>`select slug from app where id = ${actor.appId}`);
    const login = `${app?.slug ?? 'app'}[bot]`;
    return { name: login, email: nowhere(actor.appId, login) };
  }
  if (actor.kind === 'workflow') {
    return { name: 'workflow[bot]', email: nowhere(actor.repositoryId, 'workflow[bot]') };
  }
  throw forbidden();
}

/** The account behind a push; undefined where it is no user. */
export function pusherOf({ actor }: Pick<Context, 'actor'>): { pusherId?: number } {
  return actor.kind === 'user' ? { pusherId: actor.accountId } : {};
}
