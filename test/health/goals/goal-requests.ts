import type { TestAccount } from '../../harness/accounts.ts';
import type { TestGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

export const path = '/health/goals/';
export const steps = { goal_type: 'steps', target_value: 10000 };

/** Requests of an account for its goals. */
export const goalRequests = (gateway: TestGateway, { access }: TestAccount) => ({
  get: (at: string) => send(gateway, 'GET', at, undefined, access),
  post: (body: unknown) => send(gateway, 'POST', path, body, access),
  put: (id: number, body?: unknown) => send(gateway, 'PUT', `${path}${id}/`, body, access),
  patch: (id: number, body?: unknown) => send(gateway, 'PATCH', `${path}${id}/`, body, access),
  remove: (id: number) => send(gateway, 'DELETE', `${path}${id}/`, undefined, access),
});
