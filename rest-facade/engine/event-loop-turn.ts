let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop of its own. Work of some milliseconds that arrives together, such as large bodies or
 * documents, is done one piece in a turn, so that other requests wait for one piece and not for the sum.
 */
export function nextEventLoopTurn(): Promise<void> {
  last = last.then(() => new Promise(resolve => setImmediate(resolve)));
  return last;
}
