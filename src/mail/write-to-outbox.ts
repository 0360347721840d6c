import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a mail to the folder as `<time>-<id>.eml`, readable only by its owner. The file is renamed into place when it is complete
 * and synced. A retry replaces it, because the name is the same in every attempt.
 */
export async function writeToOutbox(
  folder: string,
  { id, queuedAt }: { id: string; queuedAt: Date },
  mail: Buffer,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // 2026-11-01T12:00:00.000Z → 20261101T120000000Z: sorts by time and is a file name everywhere.
  const name = `${queuedAt.toISOString().replace(/[-:.]/g, '')}-${id}.eml`;
  const temporaryPath = join(folder, `.${id}.${process.pid}.tmp`);
  try {
    const file = await open(temporaryPath, 'w', 0o600);
    try {
      await file.writeFile(mail);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporaryPath, join(folder, name));
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
  await fsyncFolder(folder);
}

/** Syncs the folder, so that the rename survives a power failure. Windows cannot and need not do it. */
async function fsyncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
