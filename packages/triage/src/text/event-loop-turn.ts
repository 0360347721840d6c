let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop of its own: concurrent callers are resumed one per turn, so that other requests wait for one
 * slice of work and not for the sum of all slices.
 */
export function nextEventLoopTurn(): Promise<void> {
  last = last.then(() => new Promise(resolve => setImmediate(resolve)));
  return last;
}
