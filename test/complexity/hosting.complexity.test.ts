import { gitWorld } from '../git/worlds.ts';
import { testCases } from './complexity.ts';
import { hostingCases } from './hosting.cases.ts';

testCases(hostingCases, await gitWorld());
