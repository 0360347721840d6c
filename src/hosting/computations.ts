import { measureComputation } from '../git/archives/measure-tree.ts';
import { indexComputation } from '../git/index-commits.ts';
import type { Computation } from '../workers/computation.ts';
import {
  ancestorComputation,
  changesComputation,
  comparisonComputation,
  diffComputation,
  patchesComputation,
} from './commits/commit-computations.ts';
import { authorsComputation, historyComputation, historyCountComputation } from './commits/walk-commits.ts';
import { languagesComputation } from './contents/languages-computation.ts';
import { lastChangesComputation } from './contents/last-changes-computation.ts';
import { mergeComputation } from './merges/merge-computation.ts';
import { changedFilesComputation } from './webhooks/changed-files.ts';

/** Every computation that child processes run. */
export const computations: readonly Computation<never, unknown>[] = [
  ancestorComputation,
  authorsComputation,
  changedFilesComputation,
  changesComputation,
  comparisonComputation,
  diffComputation,
  historyComputation,
  historyCountComputation,
  indexComputation,
  languagesComputation,
  lastChangesComputation,
  measureComputation,
  mergeComputation,
  patchesComputation,
];
