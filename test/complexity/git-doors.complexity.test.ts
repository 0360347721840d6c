import { testCases } from './complexity.ts';
import { gitDoorCases } from './git-doors.cases.ts';

testCases(gitDoorCases);
