import type { Context } from '../../context/context.ts';
import { createObject } from '../../git/object.ts';
import { encodeTree, modes } from '../../git/tree.ts';
import { resolveCommitIdentities } from '../commits/commit-identities.ts';
import { commitEncoder, isSignedForCaller } from '../commits/service-signer.ts';
import { createByPush } from './create-by-push.ts';
import { type NewRepository, requireCreatable } from './create-repository.ts';

/** Creates a repository whose first commit has a README with its name and description. Returns its id. @throws as `createRepository` */
export async function createWithReadme(context: Context, settings: NewRepository): Promise<number> {
  const ownerId = await requireCreatable(context, settings);
  const { name, description, defaultBranch } = settings;
  const readme = createObject('blob', Buffer.from(`# ${name}\n${description ? `${description}\n` : ''}`));
  const tree = createObject(
    'tree',
    encodeTree([{ mode: modes.file, name: Buffer.from('README.md'), oid: readme.oid }]),
  );
  const encode = await commitEncoder(
    context,
    await resolveCommitIdentities(context, {}),
    isSignedForCaller(context, {}),
  );
  const bytes = await encode({ tree: tree.oid, parents: [], message: 'Initial commit' });
  const commit = createObject('commit', bytes);
  return createByPush(context, ownerId, settings, {
    updates: [{ ref: `refs/heads/${defaultBranch ?? 'main'}`, expected: null, to: commit.oid }],
    objects: [readme, tree, commit],
  });
}
