interface Emitter {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Listens to the errors of an emitter from its first moment, and returns it. Node.js ends the process for an `error` event that nobody
 * listens to: a connection that breaks between two statements, a server that cannot accept. Absent `onError`: who uses the emitter learns
 * of the error by its calls.
 */
export function heard<T extends Emitter>(emitter: T, onError: (error: Error) => void = () => {}): T {
  emitter.on('error', onError);
  return emitter;
}
