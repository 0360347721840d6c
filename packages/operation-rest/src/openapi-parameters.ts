import { GraphQLNonNull, getNullableType, isListType } from 'graphql';
import type { InputKeywords } from './input-keywords.ts';
import { anyOf, type JsonSchemaBuilder } from './json-schema.ts';
import type { Operation, Parameter } from './operation.ts';
import type { JsonSchema, Product } from './product.ts';
import { isFile } from './scalars.ts';

/** A parameter in the OpenAPI document. */
export function parameter({ textInPath = [] }: Product, one: Parameter, writer: JsonSchemaBuilder): JsonSchema {
  const { place } = one;
  // Path, query and headers cannot express null.
  const typed = writer.input(new GraphQLNonNull(getNullableType(one.documentedType ?? one.type)), acceptedBy(one));
  const isText = place === 'path' && textInPath.includes(one.name) && typed.type !== 'string';
  const schema = isText ? { type: 'string' } : typed;
  const list = schema.type === 'array';
  const name = place === 'header' ? one.headerName : one.name;
  // A list with a separator is one text; any other repeats its name with brackets.
  const isOneText = one.separator === ',';
  return {
    name: list && !isOneText ? `${name}[]` : name,
    in: place,
    required: one.required,
    ...description(one),
    ...(list ? { style: 'form', explode: !isOneText } : {}),
    schema: { ...withDefault(schema, one.defaultValue), ...rangeKeywords(one) },
  };
}

function description({ description: about, aliases, separator }: Parameter): JsonSchema {
  const parts = separator === undefined ? '' : `One text is taken too, its items parted by \`${separator}\`.`;
  const names = aliases.map(name => `\`${name}\``).join(', ');
  const text = [about, parts, names && `Also taken as ${names}.`].filter(Boolean).join(' ');
  return text === '' ? {} : { description: text };
}

function rangeKeywords({ range, type }: Parameter): JsonSchema {
  const list = isListType(getNullableType(type));
  const { min, max } = range ?? {};
  return {
    ...(typeof min === 'number' ? { [list ? 'minItems' : 'minimum']: min } : {}),
    ...(typeof max === 'number' ? { [list ? 'maxItems' : 'maximum']: max } : {}),
  };
}

/** Null is no default. */
function withDefault(schema: JsonSchema, value: unknown): JsonSchema {
  return value === undefined || value === null ? schema : { ...schema, default: value };
}

const acceptedBy = ({ keywords, nullable, refusesNull, isNeeded }: Parameter): InputKeywords => ({
  keywords,
  refusesNull: refusesNull || !nullable,
  isNeeded,
});

/**
 * The body that contains `parameters`: JSON, and with files a form too. A file is in the form alone, because JSON has no spelling of it;
 * null is in JSON alone, because a form has none of it.
 */
export function requestBody({ needsBody }: Operation, parameters: Parameter[], writer: JsonSchemaBuilder): JsonSchema {
  const hasFiles = parameters.some(({ type }) => isFile(type));
  // A client that is generated for one media type is to send files.
  const form = hasFiles ? { 'multipart/form-data': { schema: bodySchema(parameters, writer, 'form') } } : {};
  const content = { ...form, 'application/json': { schema: bodySchema(parameters, writer, 'json') } };
  return { required: needsBody || parameters.some(isRequired), content };
}

const isRequired = ({ required, isNeeded }: Parameter): boolean => required || isNeeded;

function bodySchema(parameters: readonly Parameter[], writer: JsonSchemaBuilder, kind: 'json' | 'form'): JsonSchema {
  const required = parameters.filter(isRequired).map(one => one.name);
  const properties = parameters.map(one => {
    const limits = rangeKeywords(one);
    return [
      one.name,
      { ...withDefault(valueSchema(one, writer, kind), one.defaultValue), ...limits, ...description(one) },
    ];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}

function valueSchema(one: Parameter, writer: JsonSchemaBuilder, kind: 'json' | 'form'): JsonSchema {
  const type = one.documentedType ?? one.type;
  if (kind === 'json' && isFile(type) && one.nullable) return { type: 'null' };
  const accepts = acceptedBy(one);
  const isNullable = !accepts.refusesNull && kind === 'json';
  const list = writer.input(isNullable ? type : new GraphQLNonNull(getNullableType(type)), accepts);
  return one.separator === undefined ? list : anyOf([list, { type: 'string' }]);
}

/** The header that makes a write conditional. */
export function ifMatchParameter({ etags }: Product): JsonSchema {
  const description =
    etags === 'of-body'
      ? 'ETag of `GET` for the same path, or a list of them: the request is refused unless one is current. `*`: unless the resource exists.'
      : '`*`: the request is refused unless the resource exists. No resource has an ETag, so that any other value is refused.';
  return { name: 'If-Match', in: 'header', required: false, description, schema: { type: 'string' } };
}

/** The header that names a write, so that it is carried out once. */
export const idempotencyKeyParameter: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A quoted UUID that the client makes for this request. A repetition with it within a day is not carried out: it has the answer of the first, and `Idempotency-Replayed: true`. Another request with it is 422, and 409 while the first runs.',
  schema: { type: 'string', maxLength: 257 },
};
