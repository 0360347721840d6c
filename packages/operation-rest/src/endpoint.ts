import type { ExecuteJsonPage } from './json-page.ts';
import type { Operation } from './operation.ts';
import type { PreparedOperation } from './prepare-operation.ts';
import type { ResponsePlan } from './response-plan.ts';

/** An endpoint, ready to execute. */
export interface Endpoint extends PreparedOperation {
  operation: Operation;
  plan: ResponsePlan;
  /** Undefined for an operation that is no list of plain properties. */
  executeJsonPage: ExecuteJsonPage | undefined;
}
