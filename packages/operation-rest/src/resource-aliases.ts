import type { Endpoint } from './endpoint.ts';
import type { Operation } from './operation.ts';
import type { ResolvedResource, ResourceAlias, RestContext } from './product.ts';
import type { RouteMatch } from './route-table.ts';

/** The target of a route: an endpoint, and the alias that its path begins with, by name or by id. */
export interface RouteTarget {
  endpoint: Endpoint;
  alias: ResourceAlias | undefined;
  isById: boolean;
}

/** The path parameter of an id. No operation uses this name. */
const idParameter = 'place_id';

/** All routes of an endpoint: its path, its other paths, and for each the same path by id. */
export function routesFor(
  endpoint: Endpoint,
  aliases: readonly ResourceAlias[],
): { path: string; target: RouteTarget }[] {
  const { path, otherPaths } = endpoint.operation;
  return [path, ...otherPaths].flatMap(one => {
    const alias = aliasOf(one, aliases);
    const byName = { path: one, target: { endpoint, alias, isById: false } };
    if (!alias) return [byName];
    const idPath = `${alias.idPath.replace(/\{\w+\}/, `{${idParameter}}`)}${one.slice(alias.namePath.length)}`;
    return [byName, { path: idPath, target: { endpoint, alias, isById: true } }];
  });
}

/** The alias that a path begins with. */
export function aliasOf(path: string, aliases: readonly ResourceAlias[]): ResourceAlias | undefined {
  return aliases.find(({ namePath }) => path === namePath || path.startsWith(`${namePath}/`));
}

/** How a resource is looked up: by the id or by the names in the path. */
export type ResourceLookup = { id: number } | { names: Record<string, string> };

/** Undefined if the id in the path is not a positive integer. */
export function buildLookup(
  { alias, isById }: RouteTarget,
  { parameters }: RouteMatch<RouteTarget>,
): ResourceLookup | undefined {
  if (isById) {
    const text = parameters[idParameter] ?? '';
    return /^[1-9]\d{0,14}$/.test(text) ? { id: Number(text) } : undefined;
  }
  const names = [...(alias?.namePath.matchAll(/\{(\w+)\}/g) ?? [])].map(found => found[1] ?? '');
  return { names: Object.fromEntries(names.map(name => [name, parameters[name] ?? ''])) };
}

/** The path of a request with the id in place of the names; the base path and the rest stay as sent. */
export function formatIdPath(
  alias: ResourceAlias,
  { id }: ResolvedResource,
  { basePath, target }: RestContext,
): string {
  const rest = target.pathname.slice(basePath.length).split('/').slice(alias.namePath.split('/').length);
  return [`${basePath}${alias.idPath.replace(/\{\w+\}/, String(id))}`, ...rest].join('/');
}

/** The resource that the path of one request begins with; looked up at most once. */
export class RequestedResource {
  /** The path of the matched route. */
  readonly path: string;
  readonly #target: RouteTarget;
  readonly #find: (() => Promise<ResolvedResource | undefined> | undefined) | undefined;
  #found: Promise<ResolvedResource | undefined> | undefined;

  /** Without `findResource`, names are passed to the operation as they are and paths by id lead to nothing. */
  constructor(
    target: RouteTarget,
    match: RouteMatch<RouteTarget>,
    findResource: ((kind: string, lookup: ResourceLookup) => Promise<ResolvedResource | undefined>) | undefined,
  ) {
    this.path = match.route.path;
    this.#target = target;
    this.#find =
      findResource &&
      (() => {
        const lookup = buildLookup(target, match);
        return target.alias && lookup && findResource(target.alias.kind, lookup);
      });
  }

  get isById(): boolean {
    return this.#target.isById;
  }

  /** Whether the path has names that can be looked up. */
  get isByName(): boolean {
    return this.#find !== undefined && this.#target.alias !== undefined && !this.#target.isById;
  }

  /** Undefined if there is no such resource or the caller may not see it. */
  find(): Promise<ResolvedResource | undefined> {
    this.#found ??= Promise.resolve(this.#find?.());
    return this.#found;
  }

  get alias(): ResourceAlias {
    const { alias } = this.#target;
    if (!alias) throw new TypeError(`${this.path} does not begin with a resource alias.`);
    return alias;
  }
}

/** The operations of a path. Of the most specific route alone: `/books/latest/` is not `/books/{id}/`, which would match too. */
export function operationsAt(match: RouteMatch<RouteTarget> | undefined): Operation[] {
  return [...(match?.route.methods.values() ?? [])].map(target => target.endpoint.operation);
}

/** The methods of a path, as in `Allow`. */
export function allowedMethods(matches: RouteMatch<RouteTarget>[]): string[] {
  const methods = new Set<string>();
  for (const { route } of matches) for (const method of route.methods.keys()) methods.add(method);
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods];
}
