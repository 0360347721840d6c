import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';

const root = join(import.meta.dirname, '..');

interface Lockfile {
  packages: Record<string, { version?: string; engines?: unknown }>;
}

/**
 * The lockfile without the engines of its packages. npm compares them with the Node.js that runs npm, which is not the one that runs the
 * packages: that is the package `node`, and `refusedEngines` compares with it. Those of the project itself stay.
 */
export function lockfileWithoutEngines(): string {
  const lockfile = readLockfile();
  for (const [path, one] of Object.entries(lockfile.packages)) if (isInstalled(path)) delete one.engines;
  return `${JSON.stringify(lockfile, null, 2)}\n`;
}

/** Packages in node_modules that do not admit the pinned version of `node`; undefined where all do. */
export function refusedEngines(): string | undefined {
  const { packages } = readLockfile();
  const { version = '' } = packages['node_modules/node'] ?? {};
  const refused = Object.keys(packages).filter(path => {
    const manifest = join(root, path, 'package.json');
    // Packages for other platforms are not there.
    if (!isInstalled(path) || !existsSync(manifest)) return false;
    const { engines } = JSON.parse(readFileSync(manifest, 'utf8')) as { engines?: { node?: string } };
    return engines?.node !== undefined && !satisfies(version, engines.node);
  });
  return refused.length > 0 ? `These packages do not run on Node.js ${version}: ${refused.join(', ')}` : undefined;
}

const readLockfile = (): Lockfile => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

const isInstalled = (path: string): boolean => path.startsWith('node_modules/');
