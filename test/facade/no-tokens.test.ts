import { expect, test } from '@jest/globals';
import type { ASTNode } from 'graphql';
import { visit } from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { compileGateway } from '../../src/server/compile-gateway.ts';

test('operations keep no locations, which keep every token of every file', () => {
  const { health, hosting } = compileGateway(readConfig({}));
  let nodes = 0;
  const located: string[] = [];
  for (const { operation } of [...health.endpoints, ...hosting.endpoints]) {
    for (const definition of [operation.definition, ...operation.fragments]) {
      visit(definition, {
        enter(node: ASTNode) {
          nodes++;
          if (node.loc) located.push(operation.file);
        },
      });
    }
  }
  expect(nodes).toBeGreaterThan(10_000);
  expect(located).toEqual([]);
});
