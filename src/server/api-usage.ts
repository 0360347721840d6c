import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import type { Problem, ResourceAlias, RestContext } from 'operation-rest';
import { decodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import type { Context } from '../context/context.ts';
import { loginKey } from '../hosting/accounts/login.ts';
import { apiUsageActorOf } from '../hosting/insights/api-usage-actor.ts';
import { isRateLimitCode } from '../hosting/insights/rate-limit-codes.ts';
import type { UsageRecorder } from '../hosting/insights/usage-recorder.ts';
import type { UsageTarget } from '../hosting/insights/write-usage.ts';
import type { GraphqlServerOptions } from './apollo-server.ts';

type Parameters = Readonly<Record<string, string>>;

/**
 * Counts a request of the code hosting API for the organization it addresses: by `{org}`, by `{owner}`, or by the id of a
 * repository or an organization. Whether the organization exists is checked when the counts are written.
 */
export function apiUsageCounter(recorder: UsageRecorder, places: readonly ResourceAlias[]) {
  const templates = new Map<string, string>();
  return ({ request, response, route, context }: RestContext, problem: Problem | undefined): void => {
    if (!route || !context) return;
    const actor = apiUsageActorOf((context as Context).actor);
    const target = actor && targetOf(route.path, route.parameters);
    if (!target) return;
    const template = templates.get(route.path) ?? routeTemplateOf(route.path, places);
    templates.set(route.path, template);
    const limited = problem?.kind === 'graph' && isRateLimitCode(problem.code);
    recorder.record({
      target,
      actor,
      method: request.method ?? 'GET',
      route: template,
      limited,
      status: response.statusCode,
    });
  };
}

function targetOf(path: string, { org, owner, place_id: id }: Parameters): UsageTarget | undefined {
  const login = org ?? owner;
  if (login !== undefined) return byLogin(login);
  if (id === undefined || !/^[1-9]\d{0,14}$/.test(id)) return undefined;
  if (/^\/(repositories|networks)\//.test(path)) return { kind: 'repository', value: Number(id) };
  return path.startsWith('/organizations/') ? { kind: 'organization', value: Number(id) } : undefined;
}

function byLogin(login: string): UsageTarget | undefined {
  const key = loginKey(login);
  return key === undefined ? undefined : { kind: 'login', value: key };
}

/**
 * Route template for API insights. `/repos/{owner}/{repo}/contents/{+path}` and the same path by id are one route:
 * `/repositories/:repository_id/contents/:path`.
 */
export function routeTemplateOf(path: string, places: readonly ResourceAlias[]): string {
  const place = places.find(({ namePath }) => path === namePath || path.startsWith(`${namePath}/`));
  const own = place ? `${place.idPath.replace('{id}', '{place_id}')}${path.slice(place.namePath.length)}` : path;
  const kind = places.find(({ idPath }) => own.startsWith(idPath.replace('{id}', '{place_id}')))?.kind;
  return own.replace('{place_id}', `:${kind}_id`).replace(/\{\+?(\w+)\}/g, ':$1');
}

/** Counts a GraphQL operation once for each organization that its root fields name. */
export function graphqlUsageCounter(recorder: UsageRecorder): GraphqlServerOptions['onResponse'] {
  return ({ prepared, sent, method }, { http: { status = 200 }, result: { errors = [] } }, context) => {
    const actor = apiUsageActorOf(context.actor);
    if (!actor) return;
    const limited = errors.some(({ extensions }) => isRateLimitCode(extensions?.code));
    const fragments = new Map(prepared.fragments.map(one => [one.name.value, one.selectionSet]));
    for (const target of targetsIn(prepared.operation, fragments, sent)) {
      recorder.record({ target, actor, method, route: '/graphql', limited, status });
    }
  };
}

/** Arguments and input fields that name an owner. `login` names one only on `organization`; elsewhere it names a user. */
const ownerArguments: ReadonlySet<string> = new Set(['owner', 'organization']);

/** Depth of `owner` in an input: input, repository, named. */
const maxInputDepth = 3;

function targetsIn(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, SelectionSetNode>,
  variables: Readonly<Record<string, unknown>>,
): UsageTarget[] {
  const found = new Map<string, UsageTarget>();
  const seen = new Set<string>();
  const collectField = ({ arguments: given = [], name: { value: field } }: FieldNode): void => {
    for (const { name, value } of given) {
      const isLogin = field === 'organization' && name.value === 'login';
      collectValue(isLogin ? 'owner' : name.value, valueFromASTUntyped(value, variables), 0);
    }
  };
  const collectValue = (name: string, value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      const target = ownerArguments.has(name) ? byLogin(value) : byGlobalId(name, value);
      if (target) found.set(`${target.kind}${target.value}`, target);
    } else if (depth < maxInputDepth && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [field, below] of Object.entries(value)) collectValue(field, below, depth + 1);
    }
  };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) collectField(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const set = fragments.get(selection.name.value);
        if (set) collect(set);
      }
    }
  };
  collect(operation.selectionSet);
  return [...found.values()];
}

function byGlobalId(name: string, value: string): UsageTarget | undefined {
  const decoded = /^id$|Id$/.test(name) ? decodeGlobalId(value) : undefined;
  if (decoded === undefined || !/^[1-9]\d{0,14}$/.test(decoded.key)) return undefined;
  if (decoded.type === 'Repository') return { kind: 'repository', value: Number(decoded.key) };
  return decoded.type === 'Organization' ? { kind: 'organization', value: Number(decoded.key) } : undefined;
}
