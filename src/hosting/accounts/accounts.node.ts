import { type NodeKind, numberedNode } from '../../context/node-kind.ts';
import { type AccountRow, accountsByIds, emailsByIds } from './accounts.queries.ts';

/** Accounts are public. The type in a global id is that of the account. */
const accountNode = (type: AccountRow['__typename']): NodeKind =>
  numberedNode({
    type,
    access: 'public',
    hasIntegerId: true,
    isNamed: true,
    async load(context, ids, wanted) {
      const found = await accountsByIds(context, ids, wanted);
      return found.map(row => (row?.__typename === type ? row : null));
    },
  });

export const userNode = accountNode('User');
export const organizationNode = accountNode('Organization');

/** E-mail addresses of the caller. */
export const emailNode = numberedNode({
  type: 'AccountEmail',
  access: 'profile:read',
  load: (context, ids) => emailsByIds(context, ids),
});
