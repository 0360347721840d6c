import { testCases } from './complexity.ts';
import { operationRestCases } from './operation-rest.cases.ts';

testCases(operationRestCases);
