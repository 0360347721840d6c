import type { Method } from './operation.ts';

/** A path that is malformed, or that an endpoint has already. */
export class RouteError extends Error {}

/** Names in braces, in the order of the path. */
export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{\+?([A-Za-z_]\w*)\}/g)].map(found => found[1] ?? '');
}

export interface Route<T> {
  path: string;
  /** Target by method. */
  methods: Map<Method, T>;
}
export interface RouteMatch<T> {
  route: Route<T>;
  /** Decoded path parameters by name. */
  parameters: Record<string, string>;
}

/** Characters of a segment without percent-encoding. */
const fixedSegment = /^[\w.~!$&'()*+,;=:@-]*$/;

interface RouteNode<T> {
  fixed: Map<string, RouteNode<T>>;
  parameter?: RouteNode<T>;
  rest?: RouteNode<T>;
  route?: Route<T>;
  names: string[];
}

const newNode = <T>(): RouteNode<T> => ({ fixed: new Map(), names: [] });

/**
 * The routes of one product as a radix tree of segments: a fixed segment takes precedence over `{name}`, and that over `{+rest}`.
 * Matching visits each segment a bounded number of times and runs no regular expression made of a path.
 */
export class RouteTable<T> {
  readonly #root: RouteNode<T> = newNode();
  readonly #files = new Map<string, string>();
  readonly routes: Route<T>[] = [];

  /** @param path as in `@rest`. @throws RouteError for a path that is malformed or equivalent to another */
  add(file: string, method: Method, path: string, target: T): void {
    const refuse = (reason: string): never => {
      throw new RouteError(reason);
    };
    const segments = split(path) ?? refuse(`The path ${path} must start with a slash.`);
    const names: string[] = [];
    let node = this.#root;
    segments.forEach((segment, index) => {
      const isLast = index === segments.length - 1;
      const [, plus, name] = /^\{(\+?)([A-Za-z_]\w*)\}$/.exec(segment) ?? [];
      if (name === undefined) {
        // Only the last segment may be empty, after a trailing slash. Braces must enclose a whole segment.
        if (!fixedSegment.test(segment) || (segment === '' && !isLast))
          refuse(`The path ${path} is malformed at «${segment}».`);
        node = child(node.fixed, segment);
        return;
      }
      if (names.includes(name)) refuse(`The path ${path} names {${name}} twice.`);
      if (plus !== '' && !isLast) refuse(`${segment} must be the last segment of ${path}.`);
      node = branch(node, plus === '' ? 'parameter' : 'rest');
      names.push(name);
    });
    if (node.route && node.names.join() !== names.join()) {
      refuse(`${path} and ${node.route.path} differ only in parameter names; use the same names.`);
    }
    // `{path}` and `{+path}` differ here, but not in the OpenAPI document.
    const documented = `${method} ${path.replace('{+', '{')}`;
    const other = this.#files.get(documented);
    if (other !== undefined) refuse(`${method} ${path} is already served by ${other}.`);
    this.#files.set(documented, file);
    if (!node.route) {
      node.route = { path, methods: new Map() };
      node.names = names;
      this.routes.push(node.route);
    }
    node.route.methods.set(method, target);
  }

  /**
   * The routes that match `path`, most specific first.
   * @param path as sent, percent-encoded; an invalid encoding matches nothing
   */
  match(path: string): RouteMatch<T>[] {
    const segments = split(path);
    if (segments === undefined) return [];
    const decoded: string[] = [];
    for (const segment of segments) {
      const text = segment.includes('%') ? decode(segment) : segment;
      if (text === undefined) return [];
      decoded.push(text);
    }
    const found: RouteMatch<T>[] = [];
    collect(this.#root, decoded, 0, [], found);
    return found;
  }
}

/** Segments after the first slash; a trailing slash is an empty last segment. Undefined unless it starts with a slash. */
function split(path: string): string[] | undefined {
  return path.startsWith('/') ? path.slice(1).split('/') : undefined;
}

function child<T>(children: Map<string, RouteNode<T>>, key: string): RouteNode<T> {
  const found = children.get(key) ?? newNode<T>();
  children.set(key, found);
  return found;
}

function branch<T>(node: RouteNode<T>, kind: 'parameter' | 'rest'): RouteNode<T> {
  node[kind] ??= newNode();
  return node[kind];
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function collect<T>(
  node: RouteNode<T>,
  segments: string[],
  at: number,
  values: string[],
  found: RouteMatch<T>[],
): void {
  const segment = segments[at];
  if (segment === undefined) {
    if (node.route) found.push({ route: node.route, parameters: zipParameters(node.names, values) });
    return;
  }
  const fixed = node.fixed.get(segment);
  if (fixed) collect(fixed, segments, at + 1, values, found);
  if (node.parameter && segment !== '') collect(node.parameter, segments, at + 1, [...values, segment], found);
  const rest = node.rest;
  if (rest?.route) {
    found.push({ route: rest.route, parameters: zipParameters(rest.names, [...values, segments.slice(at).join('/')]) });
  }
}

function zipParameters(names: string[], values: string[]): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  names.forEach((name, index) => {
    parameters[name] = values[index] ?? '';
  });
  return parameters;
}
