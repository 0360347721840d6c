import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' | 'major'; execution: 'sync'; flavor: 'regular' | 'last-resort' }) => void;

let collect: Collect | undefined;

/** V8's function, which it offers to contexts that are created after its flag is set. */
function collector(): Collect {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  return collect;
}

/**
 * Runs a minor collection, which takes some milliseconds. V8 runs one when its own heap is full; buffers outside that heap hardly
 * count, so that 64 MB of them accumulate first.
 */
export function collectYoungGeneration(): void {
  collector()({ type: 'minor', execution: 'sync', flavor: 'regular' });
}

/** Runs a full collection, which takes a tenth of a second or more: for the end of the start. */
export function collectAllGenerations(): void {
  collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
