import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps the data folder of a stopped PostgreSQL server with the template databases for the next test run. The folder name
 * contains a hash of all inputs of the templates; an outdated folder is removed.
 */
const root = join(import.meta.dirname, '..', '..');
const cache = join(root, 'node_modules', '.cache', 'portico-test-templates');

/**
 * Migrations, seeds and queues import four fifths of the compiled modules, so all modules are inputs. Rejected: a list of
 * the relevant ones, which would save 2 s after some edits and be wrong after others.
 */
function templateHash(): string {
  const hash = createHash('sha256').update(process.version);
  const files = [
    'package-lock.json',
    ...['database-server.ts', 'secret.ts'].map(name => join('test', 'harness', name)),
  ];
  for (const folder of ['schema', 'seeds', 'src'].map(name => join('dist', name))) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.name.endsWith('.map')) files.push(join(entry.parentPath, entry.name));
  }
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 20);
}

/** Copies the saved folder, if it is current, to the empty `dataFolder`. Returns whether it did. */
export function restoreTemplates(dataFolder: string): boolean {
  const saved = join(cache, templateHash());
  if (!existsSync(saved)) return false;
  copy(saved, dataFolder);
  return true;
}

/** Saves a copy of `dataFolder`, whose server is stopped, and removes older copies. */
export function saveTemplates(dataFolder: string): void {
  mkdirSync(cache, { recursive: true });
  const name = templateHash();
  for (const old of readdirSync(cache)) if (!old.startsWith(name)) rmSync(join(cache, old), { recursive: true });
  const draft = join(cache, `${name}.${process.pid}`);
  mkdirSync(draft);
  copy(dataFolder, draft);
  try {
    renameSync(draft, join(cache, name));
  } catch {
    // Another run has saved its copy first.
    rmSync(draft, { recursive: true });
  }
}

/** `fs.cpSync` preserves neither modes nor owners; PostgreSQL rejects a data folder that others can read. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to]);
}
