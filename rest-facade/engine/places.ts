import type { Endpoint } from './endpoint.ts';
import type { Exchange, Located, Place } from './product.ts';
import type { Match } from './routes.ts';

/** What a route leads to: an endpoint, and the place that its path begins with, named or by its id. */
export interface Served {
  endpoint: Endpoint;
  place: Place | undefined;
  byId: boolean;
}

/** The parameter of a path by id. Braces hold any name in a contract, so this one is nobody's. */
const idName = 'place_id';

/** All paths under which an endpoint is served: its own, those that mean the same, and for each its path by id. */
export function waysTo(endpoint: Endpoint, places: readonly Place[]): { path: string; served: Served }[] {
  const { path, also } = endpoint.operation;
  return [path, ...also].flatMap(one => {
    const place = places.find(({ named }) => one === named || one.startsWith(`${named}/`));
    const named = { path: one, served: { endpoint, place, byId: false } };
    if (!place) return [named];
    const byId = `${place.byId.replace(/\{\w+\}/, `{${idName}}`)}${one.slice(place.named.length)}`;
    return [named, { path: byId, served: { endpoint, place, byId: true } }];
  });
}

/** How a place is looked up: by the id in the path, or by its names there. */
export type PlaceWish = { id: number } | { names: Record<string, string> };

/** Undefined when the id is none. */
export function wishOf({ place, byId }: Served, { parameters }: Match<Served>): PlaceWish | undefined {
  if (byId) {
    const text = parameters[idName] ?? '';
    return /^[1-9]\d{0,14}$/.test(text) ? { id: Number(text) } : undefined;
  }
  const names = [...(place?.named.matchAll(/\{(\w+)\}/g) ?? [])].map(found => found[1] ?? '');
  return { names: Object.fromEntries(names.map(name => [name, parameters[name] ?? ''])) };
}

/** The path of a request with the place's id in the place of its names; base path and rest stay as sent. */
export function pathById(place: Place, { id }: Located, { base, target }: Exchange): string {
  const rest = target.pathname.slice(base.length).split('/').slice(place.named.split('/').length);
  return [`${base}${place.byId.replace(/\{\w+\}/, String(id))}`, ...rest].join('/');
}

/** The place of one request, looked up at most once. */
export class PlaceOfRequest {
  /** Of the route that matched. */
  readonly path: string;
  readonly #served: Served;
  readonly #find: (() => Promise<Located | undefined> | undefined) | undefined;
  #located: Promise<Located | undefined> | undefined;

  constructor(
    served: Served,
    match: Match<Served>,
    /** Undefined where nobody can look places up: names then stand for themselves, and ids for nothing. */
    locate: ((kind: string, wish: PlaceWish) => Promise<Located | undefined>) | undefined,
  ) {
    this.path = match.route.path;
    this.#served = served;
    this.#find =
      locate &&
      (() => {
        const wish = wishOf(served, match);
        return served.place && wish && locate(served.place.kind, wish);
      });
  }

  get isById(): boolean {
    return this.#served.byId;
  }

  get isNamed(): boolean {
    return this.#find !== undefined && this.#served.place !== undefined && !this.#served.byId;
  }

  /** Undefined where there is none that the caller may see. */
  located(): Promise<Located | undefined> {
    this.#located ??= Promise.resolve(this.#find?.());
    return this.#located;
  }

  get place(): Place {
    const { place } = this.#served;
    if (!place) throw new TypeError(`${this.path} is about no place.`);
    return place;
  }
}
