import { STATUS_CODES } from 'node:http';
import type { DocumentedError, JsonSchema } from './product.ts';

/**
 * The error responses of a document. Each is a component that its operations refer to, named after its status, such as `NotFound`;
 * another response of the same status has a number after it.
 */
export class ErrorResponses {
  readonly components: Record<string, JsonSchema> = {};
  readonly #mediaType: string;

  constructor(mediaType = 'application/json') {
    this.#mediaType = mediaType;
  }

  /** References to the responses, by status. */
  referTo(errors: Record<string, DocumentedError>): Record<string, JsonSchema> {
    return Object.fromEntries(
      Object.entries(errors).map(([status, error]) => [
        status,
        { $ref: `#/components/responses/${this.#nameOf(status, response(error, this.#mediaType))}` },
      ]),
    );
  }

  #nameOf(status: string, wanted: JsonSchema): string {
    const phrase = (STATUS_CODES[status] ?? `Status${status}`).replaceAll(/\W/g, '');
    for (let count = 1; ; count++) {
      const name = count === 1 ? phrase : `${phrase}${count}`;
      this.components[name] ??= wanted;
      if (JSON.stringify(this.components[name]) === JSON.stringify(wanted)) return name;
    }
  }
}

function response({ description, schema, examples = {} }: DocumentedError, mediaType: string): JsonSchema {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  const shown = named.length > 0 ? { examples: Object.fromEntries(named) } : {};
  return { description, content: { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` }, ...shown } } };
}

/** The errors of both by status: descriptions of `ours` before those of the engine, with the examples of both. */
export function mergeErrors(
  engine: Record<string, DocumentedError>,
  ours: Record<string, DocumentedError>,
): Record<string, DocumentedError> {
  const merged = Object.entries(ours).map(([status, error]) => {
    const examples = { ...error.examples, ...engine[status]?.examples };
    return [status, Object.keys(examples).length > 0 ? { ...error, examples } : error];
  });
  return { ...engine, ...Object.fromEntries(merged) };
}
