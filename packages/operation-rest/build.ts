import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Writes `dist/`, which the published package consists of: JavaScript, its types, and the directives. */
const target = join(import.meta.dirname, 'dist');
rmSync(target, { recursive: true, force: true });
execFileSync('tsc', ['-p', import.meta.dirname], { stdio: 'inherit' });
cpSync(join(import.meta.dirname, 'src', 'vocabulary.graphql'), join(target, 'vocabulary.graphql'));
