import { unsupportedVersionError } from './api-versions.ts';
import type { Operation } from './operation.ts';
import type { RestContext } from './product.ts';
import type { RestHooks } from './rest-hooks.ts';

type Hooks = Pick<RestHooks, 'product' | 'context' | 'authorize' | 'isPersonal' | 'charge'>;

/** Authentication, API version, rate limit, authorization: errors are answered in this order. Returns the resolvers' context. */
export async function authenticate(
  hooks: Hooks,
  restContext: RestContext,
  otherOperations: readonly Operation[],
): Promise<unknown> {
  const { context: contextOf, authorize, isPersonal, product } = hooks;
  const { request, operation, version } = restContext;
  // The response to an invalid credential has no version header.
  delete restContext.version;
  const context = await contextOf(request, operation, otherOperations, restContext.events);
  restContext.context = context;
  restContext.personal = isPersonal?.(context) ?? restContext.personal;
  if (product.versions && version === undefined) throw unsupportedVersionError(product.versions, request.headers);
  if (version !== undefined) restContext.version = version;
  await chargeRequest(hooks, restContext, context);
  await authorize?.(context, request, operation, otherOperations);
  return context;
}

/** Counts the request against the caller's rate limit until its response has ended. Rejects if the limit is exceeded. */
export async function chargeRequest(
  { charge: chargeFor }: Pick<Hooks, 'charge'>,
  restContext: RestContext,
  context: unknown,
): Promise<void> {
  const charge = await chargeFor?.(context, restContext);
  if (!charge) return;
  restContext.charge = charge;
  const { response } = restContext;
  const release = (): void => charge.release(response.statusCode);
  // The client may have disconnected while the request was counted.
  if (response.destroyed) release();
  else response.once('close', release);
}
