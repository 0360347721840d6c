import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

/** Compiles `type-graphql.ts` when it is imported: Node.js strips types, but does not know decorators. */
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('/peers/type-graphql.ts')) return nextLoad(url, context);
    const { code } = transformFileSync(fileURLToPath(url), {
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, useDefineForClassFields: false },
        target: 'es2022',
      },
      module: { type: 'es6' },
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
