import { numberedNode } from '../../context/node-kind.ts';
import { installationsByIds, managedAppsByIds, managedKeysByIds } from './managed-apps.queries.ts';

// Their access word is `public`, because apps and their owners look them up by different ones: the queries check the caller.

export const appNode = numberedNode({ type: 'App', access: 'public', hasIntegerId: true, load: managedAppsByIds });

export const appKeyNode = numberedNode({
  type: 'AppKey',
  access: 'public',
  load: (context, ids) => managedKeysByIds(context, ids),
});

export const installationNode = numberedNode({
  type: 'Installation',
  access: 'public',
  load: (context, ids) => installationsByIds(context, ids),
});
