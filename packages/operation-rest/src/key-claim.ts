import type { HeaderFields } from './product.ts';

/** The response to a request, without the headers that every response has. */
export interface StoredResponse {
  status: number;
  headers: HeaderFields;
  /** Undefined: no body. */
  text: string | undefined;
  type: string | undefined;
}

/** What is stored of the first request with a key. */
export interface FirstRequest {
  /** Hash of its method, target and body. */
  fingerprint: string;
  /** Undefined if its response was not stored: the server stopped before it, or it was too large. */
  response: StoredResponse | undefined;
}

/** The right to be the first request with a key. */
export interface KeyClaim {
  /** The first request with the key; undefined if this is the first. */
  first: FirstRequest | undefined;
  /** Stores the response of a request that has written something; undefined for an error of the server. Otherwise frees the key. */
  finish(response: StoredResponse | undefined): Promise<void>;
}
