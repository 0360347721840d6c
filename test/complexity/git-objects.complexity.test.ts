import { gitWorld } from '../git/worlds.ts';
import { testCases } from './complexity.ts';
import { gitObjectCases } from './git-objects.cases.ts';

testCases(gitObjectCases, await gitWorld());
