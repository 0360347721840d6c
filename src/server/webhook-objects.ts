import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { createFragmentSerializer, type SerializedFragment, type SerializeFragments } from 'operation-rest';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import type { Context } from '../context/context.ts';
import { selectionOf } from '../db/selection.ts';
import { accountsByIds } from '../hosting/accounts/accounts.queries.ts';
import { repositoriesByIds } from '../hosting/repositories/repositories.queries.ts';
import type { PayloadObjects, SerializeObjects } from '../hosting/webhooks/build-payload.ts';

type ObjectKey = Exclude<keyof PayloadObjects, 'installation' | 'membership' | 'repositoryState'>;

const loaded = (
  key: ObjectKey,
  fragment: string,
  load: (
    context: Context,
    id: number,
    info: GraphQLResolveInfo,
    state: PayloadObjects['repositoryState'],
  ) => Promise<object | null>,
): [string, SerializedFragment] => [
  key,
  {
    fragment,
    resolve(objects: PayloadObjects, _args: unknown, context: Context, info: GraphQLResolveInfo) {
      const id = objects[key];
      return id === undefined ? null : load(context, id, info, objects.repositoryState);
    },
  },
];

const repository = (key: ObjectKey) =>
  loaded(key, 'PayloadRepository', async (context, id, info, state) => {
    const found = await context.load(repositoriesByIds, selectionOf(info)).load(id);
    // The state of the event is that of its repository.
    return found && { ...found, ...(key === 'repository' ? state : {}), __typename: 'Repository' };
  });
const account = (key: ObjectKey, fragment = 'SimpleUser') =>
  loaded(key, fragment, (context, id, info) => context.load(accountsByIds, selectionOf(info)).load(id));

const shapes: Record<string, SerializedFragment> = Object.fromEntries([
  repository('repository'),
  repository('forkee'),
  account('member'),
  account('requester'),
  account('inviter'),
  account('user'),
  account('formerUser'),
  account('formerOrganization', 'SimpleOrganization'),
  account('organization', 'SimpleOrganization'),
  account('sender'),
  ['membership', { fragment: 'PayloadMembership', resolve: ({ membership }: PayloadObjects) => membership ?? null }],
  [
    'installation',
    { fragment: 'AppInstallation', resolve: ({ installation }: PayloadObjects) => installation ?? null },
  ],
]);

/**
 * Builds the objects of webhook payloads from the fragments of the REST API. Prepared on first use, because not every process
 * sends webhooks.
 */
export function webhookObjects(graph: () => GraphQLSchema): SerializeObjects {
  let serialize: SerializeFragments | undefined;
  return (objects, context) => {
    serialize ??= createFragmentSerializer(hostingProduct({}), graph(), shapes);
    // Receivers that follow a link are clients of the self-hosted edition.
    return serialize(objects, context, { API: `${context.origin}/api/v3`, ORIGIN: context.origin });
  };
}
