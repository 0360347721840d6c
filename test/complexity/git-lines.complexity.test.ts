import { testCases } from './complexity.ts';
import { gitLineCases } from './git-lines.cases.ts';

testCases(gitLineCases);
