import { keyedBy, setHeader } from './apply-field-rules.ts';
import { bodilessStatuses, type Operation } from './operation.ts';
import { countedPage, cursorsOf, type PageInfo, type PageLinks, pageEnvelope, type RequestedPage } from './paging.ts';
import { outcomeKey } from './prepare-operation.ts';
import { ProblemError } from './problem.ts';
import type { Product, RestContext } from './product.ts';
import type { ResponsePlan } from './response-plan.ts';

/** A response made from an operation's data, before anything is written. */
export interface RestResponse {
  status: number;
  headers: Record<string, string>;
  /** Undefined: no body. */
  body: unknown;
  /** Data of the Link header; undefined without pages and with an envelope. */
  links: PageLinks | undefined;
  /** Name of the body's type, which selects a responder; undefined unless the body is one object. */
  outcome: string | undefined;
}

type ResultData = Record<string, unknown>;

/**
 * @param restContext `target` is what page links repeat
 * @throws ProblemError `not-found` for null above or at the body, for null or false at `@found`, and for a page beyond the last
 */
export function buildResponse(
  operation: Operation,
  plan: ResponsePlan,
  data: ResultData,
  restContext: Pick<RestContext, 'target' | 'origin' | 'basePath' | 'version'>,
  paging: Product['paging'],
  page: RequestedPage,
): RestResponse {
  const headers: Record<string, string> = {};
  if (!plan.found.every(keys => (valueAt(data, keys) ?? false) !== false))
    throw new ProblemError({ kind: 'not-found', reason: 'absent' });
  for (const { keys, name, constant } of plan.headers)
    setHeader(headers, name, constant ? constant.value : valueAt(data, keys));
  const empty = { status: operation.status, headers, links: undefined, outcome: undefined };
  if (!plan.body) return { ...empty, body: undefined };
  let value = valueAt(data, plan.body);
  if (value === null || value === undefined) {
    // Null above the body is always absence; only the body itself may be a null value.
    const parent = valueAt(data, plan.body.slice(0, -1));
    const isFound = parent !== null && parent !== undefined;
    if (isFound && plan.nullStatus !== undefined) return { ...empty, status: plan.nullStatus, body: undefined };
    if (!plan.bodyNullable || !isFound) {
      throw new ProblemError({ kind: 'not-found', reason: 'absent' });
    }
    return { ...empty, body: null };
  }
  const outcome = outcomeOf(plan, value);
  // Before the rules, which take it out of the body.
  const pageInfo = plan.page && pageInfoOf(operation, plan.page, data, page);
  if (plan.changeBody) {
    const { origin, basePath, version } = restContext;
    value = plan.changeBody(value, { API: `${origin}${basePath}`, ORIGIN: origin }, headers, version);
  }
  let body = plan.bodyConstant ? plan.bodyConstant.value : plan.bodyKeyed ? keyedBy(value, plan.bodyKeyed) : value;
  let links: PageLinks | undefined;
  if (plan.page && pageInfo) {
    const { target, origin } = restContext;
    if (plan.page.style === 'COUNT') body = pageEnvelope(pageInfo, value, target, origin, paging);
    else {
      const { style, maxEntries, cursor, keyOfCursor } = plan.page;
      links = { style, pageInfo: cursorsOf(pageInfo, keyOfCursor), maxEntries, cursor, search: target.search };
    }
  }
  const status = (outcome !== undefined && plan.statuses.get(outcome)) || operation.status;
  return { status, headers, body: bodilessStatuses.has(status) ? undefined : body, links, outcome };
}

/** Undefined where the object is inside a body that has none. @throws TypeError if it is beside the body and absent */
export function pageInfoOf(
  operation: Pick<Operation, 'file'>,
  { keys, countKey, isInBody }: NonNullable<ResponsePlan['page']>,
  data: ResultData,
  page: RequestedPage,
): PageInfo | undefined {
  const found = valueAt(data, keys) as PageInfo | null | undefined;
  if (!found && isInBody) return undefined;
  if (!found) throw new TypeError(`${operation.file}: the object below @page is null.`);
  return countKey === undefined ? found : countedPage(found, countKey, page);
}

function outcomeOf({ outcome }: ResponsePlan, value: unknown): string | undefined {
  if (outcome !== 'queried') return outcome?.known;
  const name = (value as ResultData)[outcomeKey];
  (value as ResultData)[outcomeKey] = undefined;
  return String(name);
}

/** The value under a path of response keys; null or undefined if it ends early. */
export function valueAt(data: unknown, keys: readonly string[]): unknown {
  let value = data;
  for (const key of keys) {
    if (value === null || value === undefined) return value;
    value = (value as ResultData)[key];
  }
  return value;
}
