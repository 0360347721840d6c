import { gitWorld } from '../git/worlds.ts';
import { testCases } from './complexity.ts';
import { gitRepositoryCases } from './git-repositories.cases.ts';

testCases(gitRepositoryCases, await gitWorld());
