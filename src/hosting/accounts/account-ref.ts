import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountByLogin } from './accounts.queries.ts';

/**
 * The number of the account that a global id of an input stands for. Whether an account has the number is for the query to find out.
 * @param field name of the input field, for the error
 * @throws GraphQLError BAD_USER_INPUT, status 400, if the text is no global id of this type; 404 for a login of no such account
 */
export async function accountNumber(
  context: Pick<Context, 'actor' | 'read'>,
  type: 'User' | 'Organization',
  id: string,
  field: string,
): Promise<number> {
  const [login] = decodeNamedId(type, id) ?? [];
  if (login === undefined) return numberOfId(type, id, field);
  const found = await accountByLogin(context, login, noSelection, type === 'User' ? 'user' : 'organization');
  if (!found) throw notFound();
  return found.databaseId;
}

/** Number or login of the organization that a global id of an input stands for. @throws as `accountNumber`, without the 404 */
export function organizationOfId(id: string, field = 'organizationId'): number | string {
  const [login] = decodeNamedId('Organization', id) ?? [];
  return login ?? numberOfId('Organization', id, field);
}
