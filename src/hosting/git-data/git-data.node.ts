import type { Context } from '../../context/context.ts';
import { type NodeKind, textNode } from '../../context/node-kind.ts';
import { isOid } from '../../git/object.ts';
import { parseGitKey } from './git-key.ts';
import { findGitObject, type GitObjectRow } from './git-objects.queries.ts';
import { type GitPlace, gitPlace } from './git-place.ts';
import { findRef, type RefRow } from './refs.queries.ts';

/** Reads keys together: each step of all of them is one statement. A refusal fails its key only. */
function loadEach<Row>(
  context: Context,
  keys: readonly string[],
  find: (place: GitPlace, rest: string) => Promise<Row | null>,
): Promise<(Row | null)[]> {
  const load = async (key: string): Promise<Row | null> => {
    const parsed = parseGitKey(key);
    const place = parsed ? await gitPlace(context, parsed.repositoryId) : null;
    return parsed && place ? find(place, parsed.rest) : null;
  };
  return Promise.all(keys.map(key => load(key).catch((error: unknown) => error as Row)));
}

const gitObjectNode = (type: GitObjectRow['__typename']): NodeKind =>
  textNode<GitObjectRow>({
    type,
    access: 'contents:read',
    keyOf: ({ place, oid }) => `${place.databaseId}:${oid}`,
    load: (context, keys) =>
      loadEach(context, keys, async (place, oid) => {
        const found = isOid(oid) ? await findGitObject(context, place, oid) : null;
        return found?.__typename === type ? found : null;
      }),
  });

/** Git objects; the key is `<repositoryId>:<oid>`. */
export const gitObjectNodes: readonly NodeKind[] = (['Commit', 'Tree', 'Blob', 'Tag'] as const).map(gitObjectNode);

/** Refs; the key is `<repositoryId>:<full name>`. */
export const refNode = textNode<RefRow>({
  type: 'Ref',
  access: 'contents:read',
  keyOf: ({ place, fullName }) => `${place.databaseId}:${fullName}`,
  load: (context, keys) => loadEach(context, keys, (place, name) => findRef(context, place, [name])),
});
