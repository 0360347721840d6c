import { quoteEtag } from './conditional-requests.ts';
import { bodilessStatuses, type Operation } from './operation.ts';
import { countEnvelope, type PageInfo, type PageLinks } from './paging.ts';
import { outcomeKey } from './prepare-operation.ts';
import { ProblemError } from './problem.ts';
import type { Product, RestContext } from './product.ts';
import type { FieldRules, ResponsePlan } from './response-plan.ts';

/** A response made from an operation's data, before anything is written. */
export interface RestResponse {
  status: number;
  headers: Record<string, string>;
  /** Undefined: no body. */
  body: unknown;
  /** Data of the Link header; undefined without pages and with `countEnvelope`. */
  links: PageLinks | undefined;
  /** Name of the body's type, which selects a responder; undefined unless the body is one object. */
  outcome: string | undefined;
}

type ResultData = Record<string, unknown>;

/**
 * @param restContext `target` is what page links repeat
 * @throws ProblemError `not-found` for null above or at the body, and for a page beyond the last
 */
export function buildResponse(
  operation: Operation,
  plan: ResponsePlan,
  data: ResultData,
  restContext: Pick<RestContext, 'target' | 'origin'>,
  paging: Product['paging'],
): RestResponse {
  const headers: Record<string, string> = {};
  for (const { keys, name } of plan.headers) setHeader(headers, name, valueAt(data, keys));
  const empty = { status: operation.status, headers, links: undefined, outcome: undefined };
  if (!plan.body) return { ...empty, body: undefined };
  const value = valueAt(data, plan.body);
  if (value === null || value === undefined) {
    // Null above the body is always absence; only the body itself may be a null value.
    const parent = valueAt(data, plan.body.slice(0, -1));
    if (!plan.bodyNullable || parent === null || parent === undefined) {
      throw new ProblemError({ kind: 'not-found', reason: 'absent' });
    }
    return { ...empty, body: null };
  }
  const outcome = outcomeOf(plan, value);
  if (plan.fieldRules) applyFieldRules(value, plan.fieldRules, headers);
  let body = value;
  let links: PageLinks | undefined;
  if (plan.page) {
    const pageInfo = valueAt(data, plan.page.keys) as PageInfo | null | undefined;
    if (!pageInfo) throw new TypeError(`${operation.file}: the object below @page is null.`);
    const { target, origin } = restContext;
    if (plan.page.style === 'COUNT') body = countEnvelope(pageInfo, value, target, origin, paging);
    else links = { style: plan.page.style, pageInfo, maxEntries: plan.page.maxEntries, search: target.search };
  }
  const status = (outcome !== undefined && plan.statuses.get(outcome)) || operation.status;
  return { status, headers, body: bodilessStatuses.has(status) ? undefined : body, links, outcome };
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

function setHeader(headers: Record<string, string>, name: string, value: unknown): void {
  if (value === null || value === undefined) return;
  // Everything beyond printable ASCII is percent-encoded, including line breaks.
  const text = (value instanceof Date ? value.toISOString() : String(value)).replace(/[^\x20-\x7e]+/g, percentEncoded);
  const lowerCase = name.toLowerCase();
  if (lowerCase === 'etag') headers[name] = quoteEtag(text);
  else headers[name] = dateHeaders.has(lowerCase) ? httpDate(text) : text;
}

/** Headers with a date: ISO 8601 in the graph, IMF-fixdate in HTTP. */
const dateHeaders = new Set(['last-modified', 'expires', 'sunset', 'deprecation']);

function httpDate(text: string): string {
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toUTCString() : text;
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Changes the value in place: it belongs to this request, and copying a page costs as much as making it. Omitted keys become
 * undefined, which JSON does not print; `delete` would turn each row into a dictionary-mode object that is slower to print.
 */
function applyFieldRules(value: unknown, rules: FieldRules, headers: Record<string, string>): void {
  if (Array.isArray(value)) {
    for (const item of value) applyFieldRules(item, rules, headers);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as ResultData;
  for (const [key, rule] of rules.children) {
    const child = object[key];
    if (rule.header !== undefined) {
      setHeader(headers, rule.header, child);
      object[key] = undefined;
    } else if (child === null) {
      if (rule.omitNull) object[key] = undefined;
    } else if (rule.children.size > 0) applyFieldRules(child, rule, headers);
  }
}
