import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** Bytes of memory that this process and its children may take together: the limit of the container, or that of the machine. */
export function memoryLimit(): number {
  // Without a limit of a container the figure is 0 or that of the address space.
  const limit = constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(limit, totalmem());
}
