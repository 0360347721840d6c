import { numberedNode } from '../../context/node-kind.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { findTurns } from './companion.queries.ts';

/** Messages between the caller and the companion. */
export const companionMessageNode = numberedNode({
  type: 'CompanionMessage',
  access: 'companion',
  load: (context, ids, wanted) => findTurns(context, requirePerson(context.actor).userId, ids, wanted),
});
