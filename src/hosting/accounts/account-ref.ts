import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountByLogin } from './accounts.queries.ts';

/** Types of a global id → kind of the account; any kind for the interface. */
const kinds = { User: 'user', Organization: 'organization', RepositoryOwner: undefined } as const;

/**
 * The number of the account that a global id of an input stands for. Whether an account has the number is for the query to find out.
 * @param type `RepositoryOwner` for a user or an organization
 * @param field name of the input field, for the error
 * @throws GraphQLError BAD_USER_INPUT, status 400, if the text is no global id of this type; 404 for a login of no such account
 */
export async function accountNumber(
  context: Pick<Context, 'actor' | 'read'>,
  type: keyof typeof kinds,
  id: string,
  field: string,
): Promise<number> {
  const types = type === 'RepositoryOwner' ? (['RepositoryOwner', 'User', 'Organization'] as const) : [type];
  for (const named of types) {
    const [login] = decodeNamedId(named, id) ?? [];
    if (login === undefined) continue;
    const found = await accountByLogin(context, login, noSelection, kinds[named]);
    if (!found) throw notFound();
    return found.databaseId;
  }
  return numberOfId(type === 'RepositoryOwner' ? ['User', 'Organization'] : type, id, field);
}

/** Number or login of the organization that a global id of an input stands for. @throws as `accountNumber`, without the 404 */
export function organizationOfId(id: string, field = 'organizationId'): number | string {
  const [login] = decodeNamedId('Organization', id) ?? [];
  return login ?? numberOfId('Organization', id, field);
}
