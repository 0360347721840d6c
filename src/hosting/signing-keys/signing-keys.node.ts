import { numberedNode } from '../../context/node-kind.ts';
import { signingKeysByIds } from './signing-keys.queries.ts';

/** Signing keys are public, as signatures are. */
export const signingKeyNode = numberedNode({
  type: 'SigningKey',
  access: 'public',
  load: (context, ids) => signingKeysByIds(context, ids),
});
