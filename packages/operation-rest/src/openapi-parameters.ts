import { GraphQLNonNull, getNullableType, isListType } from 'graphql';
import { anyOf, type JsonSchemaBuilder } from './json-schema.ts';
import type { Operation, Parameter } from './operation.ts';
import type { JsonSchema, Product } from './product.ts';
import { isFile } from './scalars.ts';

/** A parameter in the OpenAPI document. */
export function parameter(one: Parameter, writer: JsonSchemaBuilder): JsonSchema {
  const { place } = one;
  // Path, query and headers cannot express null.
  const schema = writer.input(new GraphQLNonNull(getNullableType(one.documentedType ?? one.type)));
  const list = schema.type === 'array';
  const name = place === 'header' ? one.headerName : one.name;
  // A list with a separator is one text; any other repeats its name with brackets.
  const isText = one.separator === ',';
  return {
    name: list && !isText ? `${name}[]` : name,
    in: place,
    required: one.required,
    ...description(one),
    ...(list ? { style: 'form', explode: !isText } : {}),
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

/** The JSON body, or the form if it has files, that contains `parameters`. */
export function requestBody({ needsBody }: Operation, parameters: Parameter[], writer: JsonSchemaBuilder): JsonSchema {
  const required = parameters.filter(one => one.required).map(one => one.name);
  const properties = parameters.map(one => {
    const type = one.documentedType ?? one.type;
    const list = writer.input(one.nullable ? type : new GraphQLNonNull(getNullableType(type)));
    const schema = one.separator === undefined ? list : anyOf([list, { type: 'string' }]);
    const limits = rangeKeywords(one);
    return [one.name, { ...withDefault(schema, one.defaultValue), ...limits, ...description(one) }];
  });
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
  // A file cannot be sent as JSON, so that the form comes first.
  const hasFiles = parameters.some(({ type }) => isFile(type));
  const content = { ...(hasFiles ? { 'multipart/form-data': { schema } } : {}), 'application/json': { schema } };
  return { required: needsBody || required.length > 0, content };
}

/** The header that makes a write conditional. */
export function ifMatchParameter({ etags }: Product): JsonSchema {
  const description =
    etags === 'of-body'
      ? 'ETag of `GET` for the same path, or a list of them: the request is refused unless one is current. `*`: unless the resource exists.'
      : '`*`: the request is refused unless the resource exists. No resource has an ETag, so that any other value is refused.';
  return { name: 'If-Match', in: 'header', required: false, description, schema: { type: 'string' } };
}
