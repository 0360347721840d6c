import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Compiles into dist/ and copies data files, so that dist/ is self-contained. */
const root = join(import.meta.dirname, '..');
const sources = ['schema', 'src', 'rest-facade', 'seeds', 'examples'];
const target = join(root, 'dist');
const stamp = '.built';

/** Builds into a temporary folder and renames it, so that a running process never sees a partial dist/. */
export function build(): void {
  const beside = join(root, `dist.${process.pid}`);
  try {
    compile(beside);
    rmSync(target, { recursive: true, force: true });
    renameSync(beside, target);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function compile(into: string): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', into], {
    stdio: 'inherit',
    cwd: root,
  });
  for (const folder of sources) {
    cpSync(join(root, folder), join(into, folder), { recursive: true, filter: path => !path.endsWith('.ts') });
  }
  writeFileSync(join(into, stamp), '');
}

/** Whether a source is newer than the last complete build. An interrupted build leaves no stamp file. */
export function isStale(): boolean {
  const built = statSync(join(target, stamp), { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return true;
  const files = ['package.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const folder of sources) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
      files.push(join(folder, name));
  }
  return files.some(file => statSync(join(root, file)).mtimeMs > built);
}

if (import.meta.main) build();
