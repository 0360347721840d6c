import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type JsonObject = Record<string, unknown>;

/**
 * Validates responses against the schemas of an OpenAPI document. An undocumented key is an error: clients would depend on it
 * although it is not part of the contract.
 */
export class PublishedSchema {
  readonly #document: JsonObject;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: JsonObject) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    // A CommonJS package: its default export is nested.
    (formats as unknown as { default: (ajv: Ajv2020) => void }).default(this.#ajv);
    this.#ajv.addSchema(closed(document) as JsonObject, 'document');
  }

  /** Validation errors of a JSON response to `METHOD path`, spelled as in the document. */
  problems(method: string, path: string, status: number, body: unknown): string[] {
    const place = ['paths', path, method.toLowerCase(), 'responses', String(status)];
    const response = at(this.#document, place) as { $ref?: string } | undefined;
    const pointer = response?.$ref?.slice('#/'.length).split('/') ?? place;
    if (response === undefined) return [`${method} ${path} does not document ${status}.`];
    const types = Object.keys((at(this.#document, [...pointer, 'content']) ?? {}) as JsonObject);
    const type = types.find(one => /[/+]json$/.test(one)) ?? 'application/json';
    return this.#validate([...pointer, 'content', type, 'schema'], body);
  }

  /** The documented path of a request path without its query; a path without parameters takes precedence. */
  templateOf(path: string): string {
    const templates = Object.keys(this.#document.paths as JsonObject).sort(
      (a, b) => a.split('{').length - b.split('{').length,
    );
    return templates.find(template => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)) ?? path;
  }

  /** Validation errors of a body against the component `name`. */
  problemsAs(name: string, body: unknown): string[] {
    return this.#validate(['components', 'schemas', name], body);
  }

  #validate(pointer: string[], body: unknown): string[] {
    const $ref = `document#/${pointer.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const validate = this.#compiled.get($ref) ?? this.#ajv.compile({ $ref, unevaluatedProperties: false });
    this.#compiled.set($ref, validate);
    return validate(body)
      ? []
      : (validate.errors ?? []).map(error => `${error.instancePath || '(body)'} ${error.message}`);
  }
}

function at(value: unknown, pointer: string[]): unknown {
  return pointer.reduce((inner, key) => (inner as JsonObject | undefined)?.[key], value);
}

/**
 * Adds `unevaluatedProperties: false` to every object schema, except to the parts of an `allOf`, which have only their own keys.
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
