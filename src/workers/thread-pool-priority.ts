import { readdir, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** Name of the threads of libuv's pool, since its version 1.50. */
const threadName = 'libuv-worker';
/** Below the main thread, above the threads and processes for heavy work. */
const niceness = 5;

/**
 * Gives the threads of libuv's pool, which unpack, compress, hash and decode, a lower priority than the main thread: on two cores, ten
 * bodies that are unpacked took it four fifths of its time. Linux only: elsewhere niceness belongs to the process.
 */
export async function lowerThreadPoolPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  const folder = '/proc/self/task';
  // The first read of a file starts the threads.
  for (const id of await readdir(folder)) {
    const name = await readFile(`${folder}/${id}/comm`, 'utf8').catch(() => '');
    if (name.trim() !== threadName) continue;
    try {
      setPriority(Number(id), niceness);
    } catch {
      // A sandbox may forbid it; the threads then share the CPU with the main thread.
    }
  }
}
