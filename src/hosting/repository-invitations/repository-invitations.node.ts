import { numberedNode } from '../../context/node-kind.ts';
import { repositoryInvitationsByIds } from './repository-invitations.queries.ts';

/** Its access scope is `public`, because invited users and administrators read it: the query checks the caller. */
export const repositoryInvitationNode = numberedNode({
  type: 'RepositoryInvitation',
  access: 'public',
  load: repositoryInvitationsByIds,
});
