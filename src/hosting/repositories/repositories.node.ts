import { numberedNode } from '../../context/node-kind.ts';
import { type OwnedRow, repositoriesByIds } from './repositories.queries.ts';

/** Repositories that the caller can see. */
export const repositoryNode = numberedNode<OwnedRow>({
  type: 'Repository',
  access: 'metadata:read',
  hasIntegerId: true,
  isNamed: true,
  load: (context, ids, wanted) => repositoriesByIds(context, ids, wanted),
});
