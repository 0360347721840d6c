import { numberedNode, uuidNode } from '../../context/node-kind.ts';
import { findViewer } from './accounts.queries.ts';
import { findHealthSessions } from './health-sessions.queries.ts';
import { requirePerson } from './require-person.ts';

/** A caller finds its own account alone by id. */
export const personNode = numberedNode({
  type: 'Person',
  access: 'account',
  async load(context, ids, wanted) {
    const { userId } = requirePerson(context.actor);
    const viewer = ids.includes(userId) ? await findViewer(context, userId, wanted) : null;
    return ids.map(id => (id === userId ? viewer : null));
  },
});

/** Open sessions of the caller. */
export const healthSessionNode = uuidNode({ type: 'HealthSession', access: 'account', load: findHealthSessions });
