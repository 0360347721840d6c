import { gitWorld } from '../git/worlds.ts';
import { testCases } from './complexity.ts';
import { gitHttpCases } from './git-http.cases.ts';

testCases(gitHttpCases, await gitWorld());
