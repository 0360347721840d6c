import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts a mail into the folder as `<time>-<id>.eml`, readable by its owner alone. The file is complete from the moment
 * it has that name, and survives a loss of power. A repetition replaces it: the name is made of nothing that changes.
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

/** Makes the new name last. Windows cannot, and need not. */
async function fsyncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
