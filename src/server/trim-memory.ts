import { collectAllGenerations } from '../../rest-facade/engine/collect-garbage.ts';

/**
 * What building the graph and compiling the operations has left lies about for minutes: 319 MB before, 177 MB after. Large
 * files that are written at once need some of it.
 */
export function trimMemory(): void {
  collectAllGenerations();
}
