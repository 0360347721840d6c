import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../db/embedded-pid.ts';

/**
 * Where process ids mean the same: in one boot and one PID namespace. Another container may have the data folder as well, and has
 * other processes with the same ids.
 */
const place = createHash('sha256').update(placeText()).digest('hex').slice(0, 12);

function placeText(): string {
  if (process.platform !== 'linux') return hostname();
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid');
}

/** Clock ticks from the boot to the start of a process: with it an id belongs to one process. '0' where it is not known. */
function startOf(pid: number): string {
  if (process.platform !== 'linux') return '0';
  try {
    // After the name of the program, which may have blanks and brackets: field 22, of which the first after it is the third.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

/** A name for a folder that no other process uses, such as `4711-98123-3f0c…-<uuid>`. */
export const ownedFolderName = (): string => `${process.pid}-${startOf(process.pid)}-${place}-${randomUUID()}`;

/** Whether the process that made the folder has ended; undefined for a process of another place and for any other name. */
function isOrphaned(name: string): boolean | undefined {
  const [, pid, start, where] = /^(\d+)-(\d+)-([0-9a-f]{12})-/.exec(name) ?? [];
  if (where !== place) return undefined;
  return !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
}

/**
 * Deletes folders of `root`: those whose process has ended at once, the others when nothing was changed in them for `strayAfterMs`.
 * `keep`: names that are not deleted.
 */
export async function removeStrayFolders(
  root: string,
  { keep, strayAfterMs }: { keep?: ReadonlySet<string>; strayAfterMs: number },
): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    if (keep?.has(name)) continue;
    const path = join(root, name);
    const changedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (isOrphaned(name) || Date.now() - changedAt > strayAfterMs) await rm(path, { recursive: true, force: true });
  }
}
