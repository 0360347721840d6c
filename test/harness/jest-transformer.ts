import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import type { TransformOptions } from '@jest/transform';

const root = join(import.meta.dirname, '..', '..');
const nativeRequire = createRequire(import.meta.url);

/** Global name of the worker process's `require` in test files. */
export const nativeRequireKey = 'nativeRequire';
Object.assign(globalThis, { [nativeRequireKey]: nativeRequire });

/** The file that Node loads for a module: the compiled file of a source, the file itself of a package. */
function nativeFileOf(filename: string): string {
  const path = relative(root, filename);
  return path.startsWith(`node_modules${sep}`) ? filename : join(root, 'dist', path.replace(/\.tsx?$/, '.js'));
}

/** A module that exports the worker process's instance to a test file. */
function process(_source: string, filename: string, { supportsStaticESM }: TransformOptions): { code: string } {
  const file = nativeFileOf(filename);
  const load = `globalThis.${nativeRequireKey}(${JSON.stringify(file)})`;
  if (!supportsStaticESM) return { code: `module.exports = ${load};` };
  const names = Object.keys(nativeRequire(file) as object);
  const constants = names.map((name, at) => `const e${at} = m[${JSON.stringify(name)}];`);
  const exported = names.map((name, at) => `e${at} as ${JSON.stringify(name)}`);
  return { code: `const m = ${load};\n${constants.join('\n')}\nexport { ${exported.join(', ')} };` };
}

function getCacheKey(source: string, filename: string, { supportsStaticESM }: TransformOptions): string {
  const file = nativeFileOf(filename);
  const modified = existsSync(file) ? statSync(file).mtimeMs : 0;
  const parts = [source, filename, String(modified), String(supportsStaticESM), '1'];
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}

/**
 * A Jest transformer that replaces every module outside `test/` by its instance in the worker process, which Node loads once
 * from the compiled tree. Jest would evaluate the modules again for each test file: 1,500 of them took 2 to 3 s of CPU.
 */
const transformer = { process, getCacheKey };
export default transformer;
