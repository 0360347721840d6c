import type { IncomingMessage } from 'node:http';
import type { Product } from '../engine/product.ts';
import { errorSchemas, errors, failAt } from './errors.ts';

interface HostingOptions {
  /** Where the documentation stands. */
  docs: string;
  /** What every answer says of the caller's credential and of what the operation needs. */
  credentialHeaders?(request: IncomingMessage): Record<string, string>;
}

/** The conventions of the code hosting API. */
export function hostingProduct({ docs, credentialHeaders = () => ({}) }: HostingOptions): Product {
  return {
    name: 'hosting',
    title: 'Code hosting API',
    version: '2022-11-28',
    about: 'Repositories, organizations and what happens in them. Every path is also served under `/api/v3`.',
    basePaths: ['', '/api/v3'],
    folder: import.meta.dirname,
    trailingSlash: 'exact',
    maxBody: 1024 * 1024,
    paging: { page: 'page', size: 'per_page', largest: 100, badPage: 'first' },
    jsonType: 'application/json; charset=utf-8',
    contentType: 'any',
    capitalEnums: [],
    jsonValues: 'strict',
    cors: {
      origins: '*',
      allowHeaders: [
        'Authorization',
        'Content-Type',
        'If-Match',
        'If-Modified-Since',
        'If-None-Match',
        'If-Unmodified-Since',
        'X-Requested-With',
        'Accept-Encoding',
        'User-Agent',
      ],
      exposeHeaders: ['ETag', 'Link', 'Location', 'Retry-After'],
      maxAge: 86_400,
    },
    options: 'empty',
    headers: request => ({ Vary: 'Accept, Authorization', ...credentialHeaders(request) }),
    negotiate: () => undefined,
    fail: failAt(docs),
    errors,
    errorSchemas,
    security: {
      schemes: { token: { type: 'http', scheme: 'bearer', description: 'A token. Public data needs none.' } },
      required: [{}, { token: [] }],
    },
    responders: {},
  };
}
