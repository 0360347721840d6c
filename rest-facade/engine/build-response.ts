import { quoteEtag } from './conditional-requests.ts';
import { bodilessStatuses, type Operation } from './operation.ts';
import { countEnvelope, type PageInfo, type PageLinks } from './paging.ts';
import { outcomeKey } from './prepare-operation.ts';
import { ProblemError } from './problem.ts';
import type { Product, RestContext } from './product.ts';
import type { FieldRules, ResponsePlan } from './response-plan.ts';

/** What an operation's data says to answer, before anything is written. */
export interface RestResponse {
  status: number;
  headers: Record<string, string>;
  /** Undefined: no body at all. */
  body: unknown;
  /** What the Link header is made of; undefined for what has no pages, or tells them in its body. */
  links: PageLinks | undefined;
  /** Name of the body's type, by which a responder is found; undefined for what is no single object. */
  outcome: string | undefined;
}

type ResultData = Record<string, unknown>;

/** Turns data into an answer. `target`: what links of a list repeat. Throws not-found for null on the way to the body and for a page beyond the last. */
export function buildResponse(
  operation: Operation,
  plan: ResponsePlan,
  data: ResultData,
  restContext: Pick<RestContext, 'target' | 'origin'>,
  paging: Product['paging'],
): RestResponse {
  const headers: Record<string, string> = {};
  for (const { keys, name } of plan.headers) setHeader(headers, name, valueAt(data, keys));
  const bare = { status: operation.status, headers, links: undefined, outcome: undefined };
  if (!plan.body) return { ...bare, body: undefined };
  const value = valueAt(data, plan.body);
  if (value === null || value === undefined) {
    // Null above the body is always absence; only the body itself may be null as an answer.
    const parent = valueAt(data, plan.body.slice(0, -1));
    if (!plan.bodyNullable || parent === null || parent === undefined) {
      throw new ProblemError({ kind: 'not-found', reason: 'absent' });
    }
    return { ...bare, body: null };
  }
  const outcome = outcomeOf(plan, value);
  if (plan.shaping) applyFieldRules(value, plan.shaping, headers);
  let body = value;
  let links: PageLinks | undefined;
  if (plan.page) {
    const facts = valueAt(data, plan.page.keys) as PageInfo | null | undefined;
    if (!facts) throw new TypeError(`${operation.file}: there is a list without the facts of its page.`);
    const { target, origin } = restContext;
    if (plan.page.style === 'COUNT') body = countEnvelope(facts, value, target, origin, paging);
    else links = { style: plan.page.style, facts, most: plan.page.most, search: target.search };
  }
  const status = (outcome !== undefined && plan.statuses.get(outcome)) || operation.status;
  return { status, headers, body: bodilessStatuses.has(status) ? undefined : body, links, outcome };
}

function outcomeOf({ outcome }: ResponsePlan, value: unknown): string | undefined {
  if (outcome !== 'asked') return outcome?.known;
  const name = (value as ResultData)[outcomeKey];
  (value as ResultData)[outcomeKey] = undefined;
  return String(name);
}

/** The value under response keys, null or undefined as soon as the way is cut. */
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
  // A header holds printable ASCII here; what a name or an address has beyond it goes percent-encoded, line breaks too.
  const text = (value instanceof Date ? value.toISOString() : String(value)).replace(/[^\x20-\x7e]+/g, percentEncoded);
  const known = name.toLowerCase();
  if (known === 'etag') headers[name] = quoteEtag(text);
  else headers[name] = dateHeaders.has(known) ? httpDate(text) : text;
}

/** Headers that hold a date, which the graph writes in ISO 8601 and HTTP in a form of its own. */
const dateHeaders = new Set(['last-modified', 'expires', 'sunset', 'deprecation']);

function httpDate(text: string): string {
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toUTCString() : text;
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * In place: the result is this request's own, and a copy of a page costs as much as making it. What is left out becomes
 * undefined, which JSON does not print; `delete` would turn each row into a dictionary that is slower to print.
 */
function applyFieldRules(value: unknown, work: FieldRules, headers: Record<string, string>): void {
  if (Array.isArray(value)) {
    for (const item of value) applyFieldRules(item, work, headers);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as ResultData;
  for (const [key, inner] of work.children) {
    const below = object[key];
    if (inner.header !== undefined) {
      setHeader(headers, inner.header, below);
      object[key] = undefined;
    } else if (below === null) {
      if (inner.omitNull) object[key] = undefined;
    } else if (inner.children.size > 0) applyFieldRules(below, inner, headers);
  }
}
