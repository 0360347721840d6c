import { testCases } from './complexity.ts';
import { healthCases } from './health.cases.ts';

testCases(healthCases);
