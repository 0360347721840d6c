import { numberedNode } from '../../context/node-kind.ts';
import { organizationInvitationsByIds } from './organization-invitations.queries.ts';

/** Its access scope is `public`, because invited users and administrators read it: the query checks the caller. */
export const organizationInvitationNode = numberedNode({
  type: 'OrganizationInvitation',
  access: 'public',
  load: organizationInvitationsByIds,
});
