import { numberedNode } from '../../context/node-kind.ts';
import { findViewer } from './accounts.queries.ts';
import { requirePerson } from './require-person.ts';

/** A person can look up nobody but oneself by id. */
export const personNode = numberedNode({
  type: 'Person',
  access: 'account',
  async load(context, ids, wanted) {
    const { userId } = requirePerson(context.actor);
    const viewer = ids.includes(userId) ? await findViewer(context, userId, wanted) : null;
    return ids.map(id => (id === userId ? viewer : null));
  },
});
