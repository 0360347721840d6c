import { testCases } from './complexity.ts';
import { gitParserCases } from './git-parsers.cases.ts';

testCases(gitParserCases);
