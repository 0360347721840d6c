import type { Endpoint } from './endpoint.ts';
import type { ResolvedResource, ResourceAlias, RestContext } from './product.ts';
import type { RouteMatch } from './route-table.ts';

/** What a route leads to: an endpoint, and the place that its path begins with, named or by its id. */
export interface RouteTarget {
  endpoint: Endpoint;
  place: ResourceAlias | undefined;
  byId: boolean;
}

/** The parameter of a path by id. Braces hold any name in a contract, so this one is nobody's. */
const idParameter = 'place_id';

/** All paths under which an endpoint is served: its own, those that mean the same, and for each its path by id. */
export function routesFor(
  endpoint: Endpoint,
  places: readonly ResourceAlias[],
): { path: string; served: RouteTarget }[] {
  const { path, also } = endpoint.operation;
  return [path, ...also].flatMap(one => {
    const place = places.find(({ named }) => one === named || one.startsWith(`${named}/`));
    const named = { path: one, served: { endpoint, place, byId: false } };
    if (!place) return [named];
    const byId = `${place.byId.replace(/\{\w+\}/, `{${idParameter}}`)}${one.slice(place.named.length)}`;
    return [named, { path: byId, served: { endpoint, place, byId: true } }];
  });
}

/** How a place is looked up: by the id in the path, or by its names there. */
export type ResourceLookup = { id: number } | { names: Record<string, string> };

/** Undefined when the id is none. */
export function buildLookup(
  { place, byId }: RouteTarget,
  { parameters }: RouteMatch<RouteTarget>,
): ResourceLookup | undefined {
  if (byId) {
    const text = parameters[idParameter] ?? '';
    return /^[1-9]\d{0,14}$/.test(text) ? { id: Number(text) } : undefined;
  }
  const names = [...(place?.named.matchAll(/\{(\w+)\}/g) ?? [])].map(found => found[1] ?? '');
  return { names: Object.fromEntries(names.map(name => [name, parameters[name] ?? ''])) };
}

/** The path of a request with the place's id in the place of its names; base path and rest stay as sent. */
export function formatIdPath(place: ResourceAlias, { id }: ResolvedResource, { base, target }: RestContext): string {
  const rest = target.pathname.slice(base.length).split('/').slice(place.named.split('/').length);
  return [`${base}${place.byId.replace(/\{\w+\}/, String(id))}`, ...rest].join('/');
}

/** The place of one request, looked up at most once. */
export class RequestedResource {
  /** Of the route that matched. */
  readonly path: string;
  readonly #target: RouteTarget;
  readonly #find: (() => Promise<ResolvedResource | undefined> | undefined) | undefined;
  #found: Promise<ResolvedResource | undefined> | undefined;

  constructor(
    served: RouteTarget,
    match: RouteMatch<RouteTarget>,
    /** Undefined where nobody can look places up: names then stand for themselves, and ids for nothing. */
    locate: ((kind: string, wish: ResourceLookup) => Promise<ResolvedResource | undefined>) | undefined,
  ) {
    this.path = match.route.path;
    this.#target = served;
    this.#find =
      locate &&
      (() => {
        const wish = buildLookup(served, match);
        return served.place && wish && locate(served.place.kind, wish);
      });
  }

  get isById(): boolean {
    return this.#target.byId;
  }

  get isNamed(): boolean {
    return this.#find !== undefined && this.#target.place !== undefined && !this.#target.byId;
  }

  /** Undefined where there is none that the caller may see. */
  located(): Promise<ResolvedResource | undefined> {
    this.#found ??= Promise.resolve(this.#find?.());
    return this.#found;
  }

  get place(): ResourceAlias {
    const { place } = this.#target;
    if (!place) throw new TypeError(`${this.path} is about no place.`);
    return place;
  }
}
