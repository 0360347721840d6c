import type { PropertySchema } from './limit-probes.ts';

/** The schema of a value in an answer. */
export interface AnswerSchema extends Omit<PropertySchema, 'anyOf' | 'items'> {
  anyOf?: AnswerSchema[];
  oneOf?: AnswerSchema[];
  allOf?: AnswerSchema[];
  items?: AnswerSchema;
  properties?: Record<string, AnswerSchema>;
}

/** A number as it was written. */
export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON whose numbers are kept as they are written. */
export function parseWritten(text: string): unknown {
  const revive = (_: string, value: unknown, { source }: { source?: string }): unknown =>
    typeof value === 'number' ? new WrittenNumber(String(source)) : value;
  return JSON.parse(text, revive as never);
}

/** The texts of numbers whose published type is `number`, with their places. */
export function floatsOf(
  written: unknown,
  schema: AnswerSchema,
  component: (name: string) => AnswerSchema,
  place = '',
): Map<string, string> {
  if (schema.$ref !== undefined)
    return floatsOf(written, component(schema.$ref.split('/').at(-1) ?? ''), component, place);
  const found = new Map<string, string>();
  const add = (value: unknown, inner: AnswerSchema, at: string): void => {
    for (const [key, text] of floatsOf(value, inner, component, at)) found.set(key, text);
  };
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    add(written, part, place);
  if (written instanceof WrittenNumber && [schema.type].flat().includes('number')) found.set(place, written.text);
  else if (Array.isArray(written) && schema.items)
    for (const [at, item] of written.entries()) add(item, schema.items, `${place}/${at}`);
  else if (typeof written === 'object' && written !== null)
    for (const [key, inner] of Object.entries(schema.properties ?? {}))
      add((written as Record<string, unknown>)[key], inner, `${place}/${key}`);
  return found;
}
