import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { GithubDescription, GithubOperation } from '../../scripts/github-description.ts';

type JsonObject = Record<string, unknown>;

/** Validates answers against GitHub's description: its required keys and types. Further keys are allowed. */
export class GithubSchema {
  readonly #ajv: Ajv;
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #document: JsonObject;

  constructor({ document }: GithubDescription) {
    this.#document = document;
    this.#ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false });
    // A CommonJS package: its default export is nested.
    (formats as unknown as { default: (ajv: Ajv) => void }).default(this.#ajv);
    this.#ajv.addSchema(withNull(document) as JsonObject, 'github');
  }

  /** Validation errors of the JSON body of a response; `undefined` where the description has no JSON for this status. */
  problems({ method, path, responses }: GithubOperation, status: number, body: unknown): string[] | undefined {
    const response = responses[String(status)];
    if (!response) return [`The description does not have status ${status}.`];
    const referred = response.$ref as string | undefined;
    const pointer = referred?.slice(2) ?? `paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
    const content = valueAt(this.#document, pointer)?.content as JsonObject | undefined;
    const type = Object.keys(content ?? {}).find(name => /json/.test(name));
    if (content === undefined || type === undefined || !(content[type] as JsonObject).schema) return undefined;
    const $ref = `github#/${encodeURI(`${pointer}/content/${escaped(type)}/schema`)}`;
    const validate = this.#compiled.get($ref) ?? this.#ajv.compile({ $ref });
    this.#compiled.set($ref, validate);
    if (validate(body)) return [];
    const texts = (validate.errors ?? []).map(
      ({ instancePath, message, schemaPath }) =>
        // Of a list, every item has the same problem.
        `${instancePath.replace(/\/\d+/g, '/*') || '(body)'} ${message}${schemaPath.includes('/anyOf/') ? ' (of one alternative)' : ''}`,
    );
    return [...new Set(texts)];
  }
}

/** The value at a JSON pointer (RFC 6901), without its first slash. */
export function valueAt(document: JsonObject, pointer: string): JsonObject | undefined {
  return pointer
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonObject | undefined>((inner, key) => inner?.[key] as JsonObject | undefined, document);
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** OpenAPI 3.0 has `nullable`, JSON Schema a type `null`. Examples are left out: they are no schemas. */
function withNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNull);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, example: _example, examples: _examples, ...rest } = value as JsonObject;
  // The alternatives of the description overlap: a payload of one event is often one of another.
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => [key === 'oneOf' ? 'anyOf' : key, withNull(one)]),
  );
  if (nullable !== true) return inner;
  if (typeof inner.type !== 'string') return { anyOf: [inner, { type: 'null' }] };
  return {
    ...inner,
    type: [inner.type, 'null'],
    ...(Array.isArray(inner.enum) && !inner.enum.includes(null) ? { enum: [...inner.enum, null] } : {}),
  };
}
