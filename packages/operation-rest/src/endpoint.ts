import type { Operation } from './operation.ts';
import type { ExecuteOperation } from './prepare-operation.ts';
import type { ResponsePlan } from './response-plan.ts';

/** An endpoint, ready to execute. */
export interface Endpoint {
  operation: Operation;
  plan: ResponsePlan;
  execute: ExecuteOperation;
}
