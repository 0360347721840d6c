import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declaration, parseSync } from '@swc/core';

const root = join(import.meta.dirname, '..', '..');
const folders = ['src/git', 'src/git-http', 'src/health', 'packages'];

/** Exported functions and classes of the folders whose code works on data of users, as `exported` writes them. */
export function sourceExports(): string[] {
  const files = folders.flatMap(folder =>
    globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**', '**/examples/**'] }),
  );
  return files.sort().flatMap(file => exportsOf(file).map(name => `${file}#${name}`));
}

function exportsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const module = parseSync(source, { syntax: 'typescript', decorators: true, tsx: file.endsWith('x') });
  return module.body.flatMap(item => (item.type === 'ExportDeclaration' ? functionNames(item.declaration) : []));
}

/** Names of what can be called: constants are called where they are written as functions. */
function functionNames(declaration: Declaration): string[] {
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return [declaration.identifier.value];
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id, init }) => {
        const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression';
        return isFunction && id.type === 'Identifier' ? [id.value] : [];
      });
    default:
      return [];
  }
}
