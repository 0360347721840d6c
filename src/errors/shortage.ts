/**
 * Codes of Node.js and of the kernel for what this process or the machine has none of now: descriptors, processes, memory, buffers.
 * Another attempt may succeed.
 */
const shortageCodes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ENOBUFS']);

/** Bounds a cycle of causes. */
const maxDepth = 5;

/** Whether an error, or one that caused it, says that descriptors, processes or memory are used up. */
export function isShortage(error: unknown): boolean {
  for (let cause = error, depth = 0; depth < maxDepth; depth++) {
    if (typeof cause !== 'object' || cause === null) return false;
    const { code, cause: next } = cause as { code?: unknown; cause?: unknown };
    if (shortageCodes.has(code)) return true;
    cause = next;
  }
  return false;
}
