import { type GraphQLAbstractType, GraphQLNonNull, getNamedType, getNullableType, isInterfaceType } from 'graphql';
import type { Endpoint } from './endpoint.ts';
import { replacedSchema } from './field-rules.ts';
import { anyOf, JsonSchemaBuilder, keyedSchema } from './json-schema.ts';
import { ErrorResponses, mergeErrors } from './openapi-errors.ts';
import { idempotencyKeyParameter, ifMatchParameter, parameter, requestBody } from './openapi-parameters.ts';
import { bodilessStatuses, bodyMethods, type Operation } from './operation.ts';
import { pathScopes } from './path-scopes.ts';
import { engineErrors } from './possible-problems.ts';
import type { DocumentedError, JsonSchema, Product } from './product.ts';
import { aliasOf } from './resource-aliases.ts';
import type { ResponsePlan } from './response-plan.ts';
import { conditionalMethods } from './write-preconditions.ts';

/**
 * Builds the OpenAPI 3.1 document of a product from its operations: paths, parameters, responses, errors, points. Server URLs are
 * relative, so that the document is valid at every origin; those of the documentation begin with `origin`.
 */
export function buildOpenApi(product: Product, endpoints: readonly Endpoint[], origin = ''): JsonSchema {
  const writer = new JsonSchemaBuilder(endpoints[0]?.operation.schema as never);
  for (const { operation } of endpoints) writer.addFragments(operation.fragments);
  const errors = new ErrorResponses(product.errorType);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const readable = new Set(endpoints.filter(({ operation }) => operation.method === 'GET').map(documentedPath));
  for (const endpoint of endpoints) {
    const path = documentedPath(endpoint);
    paths[path] ??= {};
    const { method } = endpoint.operation;
    const isConditional = conditionalMethods.has(method) && readable.has(path);
    paths[path][method.toLowerCase()] = describeOperation(product, endpoint, { writer, errors, isConditional, origin });
  }
  return {
    openapi: '3.1.1',
    info: {
      title: product.title,
      version: product.version,
      description: product.description,
      ...(product.license ? { license: product.license } : {}),
    },
    servers: product.basePaths.map(base => ({ url: base || '/' })),
    security: product.security.required,
    ...describedTags(product, endpoints),
    paths,
    components: {
      schemas: { ...writer.components, ...product.errorSchemas },
      ...componentGroup('parameters', product.components.parameters),
      ...componentGroup('headers', product.components.headers),
      ...componentGroup('responses', errors.components),
      ...(Object.keys(product.security.schemes).length > 0 ? { securitySchemes: product.security.schemes } : {}),
    },
  };
}

/** The tags that the product describes. An operation may have others (OpenAPI 3.1, 4.8.1). */
function describedTags({ tags = {} }: Product, endpoints: readonly Endpoint[]): JsonSchema {
  const used = [...new Set(endpoints.map(({ operation }) => operation.tag))];
  const described = used.flatMap(name => (tags[name] === undefined ? [] : [{ name, description: tags[name] }]));
  return described.length > 0 ? { tags: described } : {};
}

function documentedPath({ operation }: Endpoint): string {
  return operation.path.replaceAll('{+', '{');
}

function describeOperation(
  product: Product,
  endpoint: Endpoint,
  {
    writer,
    errors,
    isConditional,
    origin,
  }: { writer: JsonSchemaBuilder; errors: ErrorResponses; isConditional: boolean; origin: string },
): JsonSchema {
  const { operation } = endpoint;
  const carriesBody = bodyMethods.has(operation.method);
  const inside = operation.parameters.filter(one => one.place === 'body');
  const outside = operation.parameters.filter(one => one.place !== 'body');
  // Those of headers are last.
  const ordered = [...outside.filter(one => one.place !== 'header'), ...outside.filter(one => one.place === 'header')];
  const scopes = pathScopes(operation.schema, operation.definition, operation.fragments).required;
  const parameters = [
    ...ordered.map(one => parameter(product, one, writer)),
    ...(isConditional ? [ifMatchParameter(product)] : []),
    ...(carriesBody && product.idempotencyKeys ? [idempotencyKeyParameter] : []),
    ...Object.keys(product.components.parameters).map(name => ({ $ref: `#/components/parameters/${name}` })),
  ];
  const success = successResponses(product, endpoint, writer);
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...(operation.description
      ? { description: product.describe?.(operation.description) ?? operation.description }
      : {}),
    tags: [operation.tag],
    ...(operation.retired ? { deprecated: true } : {}),
    ...(product.docsUrl && operation.docsPath !== undefined
      ? { externalDocs: { url: `${product.docsUrl(origin)}${operation.docsPath}` } }
      : {}),
    ...(product.security.ofScopes ? { security: product.security.ofScopes(scopes) } : {}),
    'x-points': operation.points,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(inside.length > 0 ? { requestBody: requestBody(operation, inside, writer) } : {}),
    // The operation's own responses take precedence over common errors.
    responses: {
      ...errors.referTo({
        ...mergeErrors(engineErrors(product, endpoint, isConditional), product.documentedErrors(operation, scopes)),
        ...movedResource(product, operation),
      }),
      ...(operation.redirectsSlash && !carriesBody ? { 302: trailingSlash } : {}),
      ...(product.etags === 'of-body' && !carriesBody ? { 304: emptyResponse({}, 'Not modified.') } : {}),
      ...success,
      ...(Object.keys(success).some(isSuccess)
        ? {}
        : errors.referTo({ default: { description: 'Any other error.', schema: product.errorSchema } })),
    },
  };
}

/** The redirect from the former name of a resource. */
function movedResource(
  { resourceAliases, moved }: Product,
  { path, method }: Operation,
): Record<string, DocumentedError> {
  if (!moved || !aliasOf(path, resourceAliases)) return {};
  const description = 'The resource has moved; `Location` says where to send the same request.';
  return { [method === 'GET' ? 301 : 307]: { description, schema: moved.schema } };
}

const isSuccess = (status: string): boolean => status.startsWith('2');

function componentGroup(name: string, components: Record<string, JsonSchema>): JsonSchema {
  return Object.keys(components).length > 0 ? { [name]: components } : {};
}

function successResponses(
  product: Product,
  { operation, plan }: Endpoint,
  writer: JsonSchemaBuilder,
): Record<string, JsonSchema> {
  const headers: Record<string, JsonSchema> = {};
  for (const name of Object.keys(product.components.headers)) headers[name] = { $ref: `#/components/headers/${name}` };
  for (const name of plan.headerNames) headers[name] = { schema: { type: 'string' } };
  if (plan.page && plan.page.style !== 'COUNT') {
    headers.Link = { description: 'Addresses of the neighbouring pages.', schema: { type: 'string' } };
  }
  const withHeaders = Object.keys(headers).length > 0 ? { headers } : {};
  const selections = plan.bodySelections;
  if (!plan.bodyType) return { [operation.status]: emptyResponse(withHeaders) };
  const { outcome, bodyType, nullStatus } = plan;
  const empty = nullStatus === undefined ? {} : { [nullStatus]: emptyResponse(withHeaders) };
  const documented = typeof outcome === 'object' ? product.responders[outcome.known]?.responses : undefined;
  if (documented) return { ...documented };
  if (outcome !== 'queried' || !selections) {
    // Null at the body is 404 unless `nullable: true`, so that the documented schema is non-null.
    const type = getNullableType(bodyType);
    const schema =
      (plan.bodyField &&
        replacedSchema(plan.bodyField, type, operation.schema, published => writer.output(published, undefined))) ??
      keyedOutput(plan, writer.output(plan.bodyNullable ? type : new GraphQLNonNull(type), selections));
    const answer = jsonResponse(
      plan.page?.style === 'COUNT' ? (product.paging.envelope?.schema(schema) ?? schema) : schema,
      withHeaders,
    );
    return { [operation.status]: operation.streams ? withEventStream(answer) : answer, ...empty };
  }
  const byStatus = new Map<number, JsonSchema[]>();
  const answers: Record<string, JsonSchema> = empty;
  const body = getNamedType(bodyType) as GraphQLAbstractType;
  // What the operation selects nothing of is not one of its outcomes.
  const types = operation.schema.getPossibleTypes(body).filter(type => writer.selects(type, selections));
  // An interface whose types are answered in the same way is documented as the interface.
  const isOneOutcome =
    isInterfaceType(body) &&
    new Set(plan.statuses.values()).size === 1 &&
    types.every(({ name }) => !product.responders[name] && !product.listOutcomes?.[name]);
  for (const type of types) {
    const responder = product.responders[type.name];
    if (responder) {
      // Two forms can have the same status.
      for (const [status, answer] of Object.entries(responder.responses)) {
        answers[status] = withContent(answer, answers[status]);
      }
      continue;
    }
    const status = plan.statuses.get(type.name) ?? operation.status;
    const list = product.listOutcomes?.[type.name];
    const object = writer.object(isOneOutcome ? body : type, selections);
    const schema = list === undefined ? object : ((object.properties as Record<string, JsonSchema>)[list] ?? {});
    byStatus.set(status, [...(byStatus.get(status) ?? []), schema]);
  }
  if (plan.bodyNullable) byStatus.set(operation.status, [...(byStatus.get(operation.status) ?? []), { type: 'null' }]);
  for (const [status, schemas] of byStatus) {
    const answer = bodilessStatuses.has(status)
      ? emptyResponse(withHeaders)
      : jsonResponse(anyOf(schemas), withHeaders);
    // A response that is not JSON can have the same status.
    answers[status] = withContent(answer, answers[status]);
  }
  return answers;
}

/** A response with its content, and that of another response of the same status. */
function withContent(answer: JsonSchema, other: JsonSchema | undefined): JsonSchema {
  if (!other?.content) return answer;
  return { ...answer, content: { ...(answer.content as JsonSchema), ...(other.content as JsonSchema) } };
}

const trailingSlash = emptyResponse({}, 'The path ends with a slash; `Location` is the path without it.');

function emptyResponse(rest: JsonSchema, description = 'Done; there is nothing to send.'): JsonSchema {
  return { description, ...rest };
}

function jsonResponse(schema: JsonSchema, rest: JsonSchema): JsonSchema {
  return { description: 'Success.', ...rest, content: { 'application/json': { schema } } };
}

/** OpenAPI 3.1 cannot describe an event stream: it is a string with a description. */
function withEventStream(answer: JsonSchema): JsonSchema {
  const description =
    'Events as the answer is made, then `answer` with the JSON of above, or `error` with the JSON of an error.';
  return {
    ...answer,
    content: { ...(answer.content as JsonSchema), 'text/event-stream': { schema: { type: 'string', description } } },
  };
}

/** The schema of a body as `@keyed` publishes it. */
function keyedOutput({ bodyField, bodyKeyed }: ResponsePlan, schema: JsonSchema): JsonSchema {
  return bodyField && bodyKeyed ? keyedSchema(bodyField, schema) : schema;
}
