import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type JsonObject = Record<string, unknown>;

/**
 * Checks answers against the schemas of an OpenAPI document. A key that the document does not name is an error: what is
 * sent and not documented is not under contract and will be depended on all the same.
 */
export class PublishedSchema {
  readonly #document: JsonObject;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: JsonObject) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    // The package is CommonJS with a default export: its function is one step further in.
    (formats as unknown as { default: (ajv: Ajv2020) => void }).default(this.#ajv);
    this.#ajv.addSchema(closed(document) as JsonObject, 'document');
  }

  /** Problems of a JSON answer to `METHOD path`, as written in the document; empty when it conforms. */
  problems(method: string, path: string, status: number, body: unknown): string[] {
    const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status)];
    if (at(this.#document, pointer) === undefined) return [`${method} ${path} does not document ${status}.`];
    return this.#validate([...pointer, 'content', 'application/json', 'schema'], body);
  }

  /** The documented path that a path of a request, without its query, is of: one without names before one with. */
  templateOf(path: string): string {
    const templates = Object.keys(this.#document.paths as JsonObject).sort(
      (a, b) => a.split('{').length - b.split('{').length,
    );
    return templates.find(one => new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)) ?? path;
  }

  /** Problems of a body that should be the component `name`. */
  problemsAs(name: string, body: unknown): string[] {
    return this.#validate(['components', 'schemas', name], body);
  }

  #validate(pointer: string[], body: unknown): string[] {
    const $ref = `document#/${pointer.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const validate = this.#compiled.get($ref) ?? this.#ajv.compile({ $ref, unevaluatedProperties: false });
    this.#compiled.set($ref, validate);
    return validate(body) ? [] : (validate.errors ?? []).map(one => `${one.instancePath || '(body)'} ${one.message}`);
  }
}

function at(value: unknown, pointer: string[]): unknown {
  return pointer.reduce((inner, key) => (inner as JsonObject | undefined)?.[key], value);
}

/**
 * The schemas with «and nothing else» wherever an object ends: at properties, items and alternatives, but not at the parts
 * of an `allOf`, which know only their own keys.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'properties') return [key, Object.fromEntries(Object.entries(inner).map(([k, v]) => [k, ending(v)]))];
      if (key === 'items') return [key, ending(inner)];
      if (key === 'anyOf' || key === 'oneOf') return [key, (inner as unknown[]).map(ending)];
      return [key, closed(inner)];
    }),
  );
}

function ending(schema: unknown): unknown {
  const inner = closed(schema) as JsonObject;
  const isObject = '$ref' in inner || 'allOf' in inner || inner.type === 'object';
  return isObject && inner.additionalProperties !== true ? { ...inner, unevaluatedProperties: false } : inner;
}
