import { numberedNode } from '../../context/node-kind.ts';
import { sshKeysByIds } from './ssh-keys.queries.ts';

/** Its access scope is `public`, because users and administrators of repositories have keys: the query checks the caller. */
export const sshKeyNode = numberedNode({ type: 'SshKey', access: 'public', load: sshKeysByIds });
