import { countEnvelope } from './conventions/count-envelope.ts';
import { problemJson } from './conventions/problem-json.ts';
import type { Problem } from './problem.ts';
import type { NegotiatedMediaType, Product } from './product.ts';

/** What a contract must say of itself, and what it does in another way than `defineProduct` assumes. */
export type ProductChoices = Pick<Product, 'name' | 'title' | 'version' | 'folder'> & Partial<Product>;

/**
 * The conventions of a contract. What is not chosen follows the RFCs: errors are `application/problem+json`, responses have an
 * `ETag`, paths are exact, `page` and `per_page` select a page of 100 items at most, and pages of other origins read nothing.
 */
export function defineProduct(choices: ProductChoices): Product {
  return {
    description: '',
    basePaths: [''],
    trailingSlash: 'exact',
    maxBodyBytes: 1024 * 1024,
    paging: { page: 'page', size: 'per_page', maxSize: 100, badPage: 'not-found', envelope: countEnvelope },
    userAgent: 'optional',
    etags: 'of-body',
    resourceAliases: [],
    jsonType: 'application/json',
    contentType: 'json-or-form',
    jsonCoercion: 'strict',
    cors: { origins: [], allowHeaders: [], exposeHeaders: [], maxAgeSeconds: 0 },
    responseHeaders: () => ({}),
    negotiate: acceptJson,
    ...problemJson(),
    components: { parameters: {}, headers: {} },
    security: { schemes: {}, required: [] },
    responders: {},
    ...choices,
  };
}

/** Negotiates `Accept` where JSON is the only form (RFC 9110, section 12.5.1): a list without a range that has it is refused. */
export function acceptJson(accept: string | undefined): Problem | NegotiatedMediaType | undefined {
  if (accept === undefined || accept === '*/*' || accept === '') return undefined;
  const ranges = accept.split(',').map(range => range.split(';').map(part => part.trim().toLowerCase()));
  const served = ranges.some(
    ([type, ...parameters]) =>
      ['application/json', 'application/*', '*/*'].includes(type ?? '') &&
      !parameters.some(one => /^q=0(\.0*)?$/.test(one)),
  );
  return served ? undefined : { kind: 'not-acceptable', accept };
}
