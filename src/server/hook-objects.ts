import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { type Make, prepareShapes, type Shape } from '../../rest-facade/engine/shapes.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { selectionOf } from '../../schema/vocabulary/selection.ts';
import type { Context } from '../context/context.ts';
import { accountsByIds } from '../hosting/accounts/accounts.queries.ts';
import { repositoriesByIds } from '../hosting/repositories/repositories.queries.ts';
import type { PublishObjects, WantedObjects } from '../hosting/webhooks/make-payload.ts';

type Numbered = Exclude<keyof WantedObjects, 'installation'>;

const loaded = (
  key: Numbered,
  fragment: string,
  load: (context: Context, id: number, info: GraphQLResolveInfo) => Promise<object | null>,
): [string, Shape] => [
  key,
  {
    fragment,
    resolve(wanted: WantedObjects, _args: unknown, context: Context, info: GraphQLResolveInfo) {
      const id = wanted[key];
      return id === undefined ? null : load(context, id, info);
    },
  },
];

const repository = (key: Numbered) =>
  loaded(key, 'MinimalRepository', (context, id, info) => context.load(repositoriesByIds, selectionOf(info)).load(id));
const account = (key: Numbered, fragment = 'SimpleUser') =>
  loaded(key, fragment, (context, id, info) => context.load(accountsByIds, selectionOf(info)).load(id));

const shapes: Record<string, Shape> = Object.fromEntries([
  repository('repository'),
  repository('forkee'),
  account('member'),
  account('requester'),
  account('organization', 'SimpleOrganization'),
  account('sender'),
  ['installation', { fragment: 'AppInstallation', resolve: ({ installation }: WantedObjects) => installation ?? null }],
]);

/** The objects of payloads, made of the fragments of the REST API. Prepared when the first is needed: not every process sends. */
export function hookObjects(graph: () => GraphQLSchema): PublishObjects {
  let make: Make | undefined;
  return (wanted, context) => {
    make ??= prepareShapes(hostingProduct({}), graph(), shapes);
    return make(wanted, context);
  };
}
