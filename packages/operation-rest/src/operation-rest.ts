/** What users of the package import. Nothing else of it is public, and importing it changes nothing and reads no setting. */

export { collectAllGenerations } from './collect-garbage.ts';
export { computeEtag, isFresh } from './conditional-requests.ts';
export { type ContractChange, compareContracts } from './contract-changes.ts';
export { extractContract } from './contract-lock.ts';
export { countEnvelope } from './conventions/count-envelope.ts';
export { type GithubErrorsOptions, githubErrors } from './conventions/github-errors.ts';
export { linkHeader, type PageLink } from './conventions/link-header.ts';
export { type ProblemJsonOptions, problemJson } from './conventions/problem-json.ts';
export { simpleMetadata } from './conventions/simple-metadata.ts';
export { corsHeaders, isPreflight, preflightHeaders } from './cors.ts';
export { acceptJson, defineProduct, type ProductChoices } from './define-product.ts';
export { isFacadeDirective, vocabularyFile, withFacadeDirectives } from './directives.ts';
export { endResponse } from './end-response.ts';
export { nextEventLoopTurn } from './event-loop-turn.ts';
export type { EventSink } from './event-stream.ts';
export {
  type Execution,
  execute,
  executeDocument,
  OperationPlan,
  type PlannedResult,
} from './execution/operation-plan.ts';
export type { JsonField, JsonRules, ReadList } from './execution/printed-lists.ts';
export { subscribe } from './execution/subscribe.ts';
export {
  type CompiledOperations,
  compileOperations,
  createFacade,
  type Endpoint,
  type Execute,
  type Facade,
  type FacadeOptions,
  type GraphQLRequest,
  type GraphQLResult,
} from './facade.ts';
export { createFragmentSerializer, type SerializedFragment, type SerializeFragments } from './fragment-serializer.ts';
export type { HttpRequest, HttpResponse, RequestHeaders } from './http-messages.ts';
export { idempotencyErrors } from './idempotency-errors.ts';
export { findJsonExcess } from './json-complexity.ts';
export { formatBodyInTurns, formatJson, formatJsonInTurns, JsonText } from './json-text.ts';
export type { FirstRequest, KeyClaim, StoredResponse } from './key-claim.ts';
export { buildOpenApi } from './openapi.ts';
export { bodyMethods, type Operation, type PointsOfWork } from './operation.ts';
export { OperationError, type OperationProblem } from './operation-problems.ts';
export { type JsonRefusal, JsonRefusedError, parseJson, parseShortJson } from './parse-json.ts';
export { type PathScopes, pathScopes } from './path-scopes.ts';
export { printableText } from './printable-text.ts';
export {
  ClientDisconnectedError,
  type InvalidInput,
  type InvalidParameter,
  type MalformedReason,
  type Problem,
  ProblemError,
  problemOf,
} from './problem.ts';
export type {
  DocumentedError,
  ErrorFormat,
  ErrorResponse,
  HeaderFields,
  JsonSchema,
  NegotiatedMediaType,
  PageEnvelope,
  ProblemContext,
  Product,
  RateLimitCharge,
  RenderedBody,
  ResourceAlias,
  RestContext,
  VersionPolicy,
} from './product.ts';
export { parseQueryString, setQueryParameter } from './query-string.ts';
export { receiveBytes } from './read-body.ts';
export { bytesResponses, textResponses } from './responder-documents.ts';
export {
  type BytesReference,
  bytes,
  type OpenBytes,
  type RedirectReference,
  redirect,
  text,
} from './responders.ts';
export type { RestHooks } from './rest-hooks.ts';
export { pathParameterNames, RouteTable } from './route-table.ts';
export { runCommand } from './run-command.ts';
export { TempFile } from './temp-file.ts';
export { TempFileJsonReader } from './temp-file-json-reader.ts';
