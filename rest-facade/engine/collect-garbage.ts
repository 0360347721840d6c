import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' | 'major'; execution: 'sync'; flavor: 'regular' | 'last-resort' }) => void;

setFlagsFromString('--expose-gc');
const collect: Collect = runInNewContext('gc');

/**
 * Lets go of what was allocated lately and is not used any more, in some milliseconds. V8 does so when its own heap is full;
 * buffers outside of it hardly count, and 64 MB of them lie about before it looks.
 */
export function collectYoungGeneration(): void {
  collect({ type: 'minor', execution: 'sync', flavor: 'regular' });
}

/** Gives everything back that is not used, a tenth of a second and more: for when the start is over. */
export function collectAllGenerations(): void {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
