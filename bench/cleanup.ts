type Undo = () => void | Promise<void>;

/**
 * Runs `work`, then undoes what it has registered, last first: at its end, after an error, and on SIGINT or SIGTERM, after which
 * the process exits with 130.
 */
export async function withCleanup<T>(work: (onEnd: (undo: Undo) => void) => Promise<T>): Promise<T> {
  const undos: Undo[] = [];
  let isUndone: Promise<void> | undefined;
  const undoAll = async (): Promise<void> => {
    for (let undo = undos.pop(); undo; undo = undos.pop()) await undo();
  };
  const undoOnce = (): Promise<void> => {
    isUndone ??= undoAll();
    return isUndone;
  };
  const onSignal = (): void => void undoOnce().finally(() => process.exit(130));
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  try {
    return await work(undo => undos.push(undo));
  } finally {
    await undoOnce();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
