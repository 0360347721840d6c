import type { GitLimits } from './limited-git.ts';

const megabyte = 1024 * 1024;

/** Kernel limits of a git process that packs. 2 GB of address space pack and check the objects of any accepted repository. */
export const processLimits: GitLimits = { maxFileBytes: 16 * 1024 * megabyte, maxMemoryBytes: 2 * 1024 * megabyte };

/** Larger blobs are never stored as deltas. Reading one from a base in chunks inflates each chunk at most 16 times. */
const maxDeltifiedBytes = 16 * megabyte;

/**
 * Memory of the processes that make or check packs. The machine has one core for each; more threads would take those of others.
 */
export const packSettings: readonly string[] = [
  'pack.threads=1',
  'pack.windowMemory=64m',
  'pack.deltaCacheSize=64m',
  `core.bigFileThreshold=${maxDeltifiedBytes}`,
  'core.packedGitWindowSize=32m',
  'core.packedGitLimit=512m',
];
