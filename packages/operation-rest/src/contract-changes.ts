import type { JsonSchema } from './product.ts';

/** A difference of two contracts. A breaking one is seen by clients that were written for the first. */
export interface ContractChange {
  isBreaking: boolean;
  /** `GET /books: …` */
  text: string;
}

interface Documented {
  parameters?: { $ref?: string; name: string; in: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

type Paths = Record<string, Record<string, Documented>>;

/**
 * Compares two results of `extractContract`, or two OpenAPI documents: routes, parameters, bodies, and the responses of success. Breaking
 * are what is gone, what is newly required of a request or no longer promised by a response, and types that are not the same.
 */
export function compareContracts(before: JsonSchema, after: JsonSchema): ContractChange[] {
  const changes: ContractChange[] = [];
  const [old, now] = [before.paths, after.paths] as [Paths, Paths];
  for (const [path, methods] of Object.entries(old)) {
    for (const [method, was] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const is = now[path]?.[method];
      if (!is) changes.push({ isBreaking: true, text: `${name}: is removed` });
      else compareOperations(was, is, new Comparison(name, before, after, changes));
    }
  }
  for (const [path, methods] of Object.entries(now)) {
    for (const method of Object.keys(methods))
      if (!old[path]?.[method]) changes.push({ isBreaking: false, text: `${method.toUpperCase()} ${path}: is added` });
  }
  return changes;
}

/** The comparison of one operation, with the documents that its references point into. */
class Comparison {
  readonly #name: string;
  readonly #before: JsonSchema;
  readonly #after: JsonSchema;
  readonly #changes: ContractChange[];
  /** Pairs of schemas in work: schemas refer to themselves. */
  readonly #seen = new Set<string>();

  constructor(name: string, before: JsonSchema, after: JsonSchema, changes: ContractChange[]) {
    this.#name = name;
    this.#before = before;
    this.#after = after;
    this.#changes = changes;
  }

  add(isBreaking: boolean, text: string): void {
    this.#changes.push({ isBreaking, text: `${this.#name}: ${text}` });
  }

  old<T extends object>(value: T): T {
    return resolve(this.#before, value);
  }

  now<T extends object>(value: T): T {
    return resolve(this.#after, value);
  }

  /** `direction`: a request may come to require less, a response may come to promise more. */
  schemas(old: JsonSchema, now: JsonSchema, place: string, direction: 'request' | 'response'): void {
    const pair = JSON.stringify([old.$ref ?? place, now.$ref ?? place, direction]);
    if (this.#seen.has(pair)) return;
    this.#seen.add(pair);
    const [was, is] = [this.old(old), this.now(now)];
    const [wasOf, isOf] = [was.properties, is.properties] as (Record<string, JsonSchema> | undefined)[];
    if (!wasOf || !isOf) {
      const [wasItems, isItems] = [was.items, is.items] as (JsonSchema | undefined)[];
      if (wasItems && isItems) this.schemas(wasItems, isItems, `${place}[]`, direction);
      else if (JSON.stringify(was) !== JSON.stringify(is)) this.add(true, `${place} has another type`);
      return;
    }
    const required = (schema: JsonSchema, key: string): boolean => ((schema.required ?? []) as string[]).includes(key);
    for (const [key, inner] of Object.entries(wasOf)) {
      const other = isOf[key];
      if (!other) this.add(true, `${place}.${key} is removed`);
      else this.schemas(inner, other, `${place}.${key}`, direction);
      if (other && direction === 'response' && required(was, key) && !required(is, key))
        this.add(true, `${place}.${key} may be absent`);
    }
    for (const key of Object.keys(isOf)) {
      const isNew = !wasOf[key];
      if (direction === 'request' && required(is, key) && !required(was, key))
        this.add(true, `${place}.${key} is required`);
      else if (isNew) this.add(false, `${place}.${key} is added`);
    }
  }
}

function compareOperations(was: Documented, is: Documented, comparison: Comparison): void {
  const others = (is.parameters ?? []).map(one => comparison.now(one));
  const known = (was.parameters ?? []).map(one => comparison.old(one));
  for (const old of known) {
    const now = others.find(one => one.name === old.name && one.in === old.in);
    const place = `the ${old.in} parameter ${old.name}`;
    if (!now) comparison.add(true, `${place} is removed`);
    else {
      comparison.schemas(old.schema, now.schema, place, 'request');
      if (now.required && !old.required) comparison.add(true, `${place} is required`);
    }
  }
  for (const now of others) {
    if (known.some(one => one.name === now.name && one.in === now.in)) continue;
    comparison.add(now.required === true, `the ${now.in} parameter ${now.name} is added`);
  }
  const [oldBody, nowBody] = [was.requestBody, is.requestBody];
  if (nowBody?.required && !oldBody?.required) comparison.add(true, 'the body is required');
  compareContent(oldBody?.content, nowBody?.content, 'the body', 'request', comparison);
  for (const [status, response] of Object.entries(was.responses)) {
    if (Number(status) >= 400) continue;
    const now = is.responses[status];
    if (!now) comparison.add(true, `the status ${status} is removed`);
    else compareContent(response.content, now.content, `the body of ${status}`, 'response', comparison);
  }
}

type Content = Record<string, { schema: JsonSchema }> | undefined;

function compareContent(
  was: Content,
  is: Content,
  place: string,
  direction: 'request' | 'response',
  comparison: Comparison,
): void {
  for (const [type, { schema }] of Object.entries(was ?? {})) {
    const other = is?.[type];
    if (other) comparison.schemas(schema, other.schema, place, direction);
    else comparison.add(true, `${place} as ${type} is removed`);
  }
}

/** Follows `$ref` within a document. */
function resolve<T extends object>(document: JsonSchema, value: T): T {
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref !== 'string') return value;
  let found: unknown = document;
  for (const key of $ref.replace(/^#\//, '').split('/')) found = (found as Record<string, unknown> | undefined)?.[key];
  if (typeof found !== 'object' || found === null) throw new TypeError(`${$ref} is in no components.`);
  return found as T;
}
