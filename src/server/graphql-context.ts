import type { GraphQLError } from 'graphql';
import type { Context } from '../context/context.ts';
import type { AdmittedRequest, RateLimitWindow } from '../limits/admitted-request.ts';
import type { CallerQuota } from '../limits/caller-quotas.ts';

/** An admitted GraphQL request. Its operation is unknown at first. */
export interface GraphqlAdmission {
  admitted: AdmittedRequest;
  quota: CallerQuota;
  window: RateLimitWindow | undefined;
  /** Points to refund when the response has ended. Negative: an additional charge. */
  refund: number;
}

/** The context of one request to `/graphql`. */
export interface GraphqlContext extends Context {
  /** Why the credential is invalid; the actor is anonymous then. */
  credentialError?: GraphQLError;
  /** Undefined if rate limits are off. */
  admission?: GraphqlAdmission;
}
