/** The schema of a property in a published request body. */
export interface PropertySchema {
  $ref?: string;
  type?: string | string[];
  anyOf?: PropertySchema[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: PropertySchema;
  properties?: Record<string, PropertySchema>;
  required?: string[];
}

/** A value of a property, and whether the description has it as valid. */
export interface Probe {
  what: string;
  value: unknown;
  isValid: boolean;
}

type Component = (name: string) => PropertySchema;

/** A schema without its reference and without null, and whether null is one of its values. */
export function withoutNull(
  schema: PropertySchema,
  component: Component,
): { schema: PropertySchema; isNullable: boolean } {
  if (schema.$ref !== undefined) {
    const { $ref, ...beside } = schema;
    return withoutNull({ ...component($ref.split('/').at(-1) ?? ''), ...beside }, component);
  }
  const { anyOf, ...own } = schema;
  if (anyOf) {
    const parts = anyOf.map(one => withoutNull(one, component));
    const isNullable = parts.some(one => one.isNullable);
    // Of a list that may be written as one text too, the list.
    const part = parts.find(one => one.schema.type === 'array') ?? parts.find(one => one.schema.type !== undefined);
    return { schema: { ...part?.schema, ...own }, isNullable };
  }
  const types = [own.type ?? []].flat().filter(type => type !== 'null');
  const isNullable = [own.type].flat().includes('null');
  if (isNullable && types.length === 0) return { schema: {}, isNullable };
  return {
    schema: { ...own, ...(types.length > 0 ? { type: types.length === 1 ? types[0] : types } : {}) },
    isNullable,
  };
}

const hasType = ({ type }: PropertySchema, name: string): boolean => [type].flat().includes(name);

/** Values at and beyond each limit of a property. */
export function probesOf(published: PropertySchema, component: Component): Probe[] {
  const { schema, isNullable } = withoutNull(published, component);
  const probes: Probe[] = [{ what: 'null', value: null, isValid: isNullable }];
  const add = (what: string, value: unknown, isValid: boolean): void => {
    probes.push({ what, value, isValid });
  };
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, items, format, pattern } = schema;
  if (schema.enum) {
    for (const value of schema.enum) add(`the value ${value}`, value, true);
    add('another value', 'another value', false);
  } else if (hasType(schema, 'integer') || hasType(schema, 'number')) {
    const step = hasType(schema, 'integer') ? 1 : 0.01;
    if (minimum !== undefined) add('the minimum', minimum, true);
    if (minimum !== undefined) add('less than the minimum', rounded(minimum - step), false);
    if (maximum !== undefined) add('the maximum', maximum, true);
    if (maximum !== undefined) add('more than the maximum', rounded(maximum + step), false);
    add('no number', 'many', false);
  } else if (hasType(schema, 'string')) {
    if (maxLength !== undefined) add('the longest text', textOf(maxLength, schema), true);
    if (maxLength !== undefined) add('a longer text', `${textOf(maxLength, schema)}0`, false);
    if (minLength !== undefined)
      add('the shortest text', format === 'email' ? 'b@c.de' : textOf(minLength, schema), true);
    if (minLength !== undefined) add('a shorter text', textOf(minLength - 1, schema), false);
    if (format !== undefined && format !== 'binary') add(`no ${format}`, 'nonsense', false);
    if (pattern !== undefined) add('a text against the pattern', pattern === '\\S' ? ' \n ' : 'a b!', false);
    add('no text', {}, false);
  } else if (hasType(schema, 'boolean')) {
    add('true', true, true);
    add('no boolean', 'perhaps', false);
  }
  if (items && hasType(schema, 'array')) {
    const item = withoutNull(items, component).schema;
    const listOf = (length: number): unknown[] => Array.from({ length }, (_, at) => entryOf(item, at));
    if (maxItems !== undefined) add('the longest list', listOf(maxItems), true);
    if (maxItems !== undefined) add('a longer list', listOf(maxItems + 1), false);
    if (minItems !== undefined) add('a list that is too short', listOf(minItems - 1), false);
    if (item.maxLength !== undefined) add('an item of the longest text', [textOf(item.maxLength, item)], true);
    if (item.maxLength !== undefined) add('an item of a longer text', [textOf(item.maxLength + 1, item)], false);
    if (item.minLength !== undefined) add('an item without text', [''], false);
    add('no list', 5, false);
    add('a list with null', [null], false);
  }
  return probes;
}

/** An entry of a list: a text, a number, or an object with the texts that it needs. */
function entryOf({ type, pattern, properties = {}, required = [] }: PropertySchema, at: number): unknown {
  const text = `entry${pattern === undefined ? ' ' : '-'}${at}`;
  if (type === 'string') return text;
  if (type !== 'object') return 1_000_000 + at;
  return Object.fromEntries(required.filter(name => properties[name]?.type === 'string').map(name => [name, text]));
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** A text of so many code points, some of two UTF-16 units where any are allowed, that no list of passwords has. */
function textOf(length: number, { format, pattern }: PropertySchema): string {
  if (format === 'email') return emailOf(length);
  if (pattern?.includes('\\+')) return '+4915112345678'.padEnd(length, ' ');
  const unusual = 'zq7Kv3xWj9TbRm5P';
  const letters = unusual.repeat(Math.ceil(length / unusual.length)).slice(0, length);
  return pattern === undefined && length > 20 ? `${letters.slice(0, -1)}𐐷` : letters;
}

/** An address with so many characters: labels of a domain have 63 at most. */
function emailOf(length: number): string {
  if (length < 6) return 'a'.repeat(Math.max(0, length));
  const end = '@example.org';
  const local = Math.min(64, length - end.length);
  let domain = '';
  for (let left = length - local - end.length; left > 0; ) {
    const label = Math.min(left, 61);
    domain = `${'d'.repeat(label - 1)}.${domain}`;
    left -= label;
  }
  return `${'a'.repeat(local)}@${domain}example.org`;
}
