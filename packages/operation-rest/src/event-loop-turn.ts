let last: Promise<void> = Promise.resolve();

/**
 * Resolves in an event loop turn of its own: concurrent callers are resumed one per turn. For synchronous work of some
 * milliseconds, such as parsing a large body or document: other requests then wait for one of them and not for the sum.
 */
export function nextEventLoopTurn(): Promise<void> {
  last = last.then(() => new Promise(resolve => setImmediate(resolve)));
  return last;
}
