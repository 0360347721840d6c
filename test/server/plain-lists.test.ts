import { expect, test } from '@jest/globals';
import { printSchema } from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { testSecret } from '../harness/secret.ts';

const config = readConfig({ SECRET_KEY: testSecret });

test('a graph is the same however often it is built', () => {
  expect(printSchema(buildGraph(config))).toBe(printSchema(buildGraph(config)));
});
