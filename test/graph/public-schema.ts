import { buildSchemaSync } from 'type-graphql';
import { readConfig } from '../../src/config/config.ts';
import { healthResolvers } from '../../src/health/health.ts';
import { hostingResolvers } from '../../src/hosting/hosting.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { withPlainLists } from '../../src/server/plain-lists.ts';

/** The schema that the tests of this folder check: the one that `/graphql` serves. */
export const publicSchema = buildGraph(readConfig({}));

/** Names of the types that the health half alone has. */
export function healthTypes(): Set<string> {
  const hosting = typesOf(hostingResolvers);
  return new Set(typesOf(healthResolvers).filter(name => !hosting.includes(name)));
}

function typesOf(resolvers: typeof healthResolvers | typeof hostingResolvers): string[] {
  const unused = (): never => {
    throw new Error('Nothing is published.');
  };
  const pubSub = { publish: unused, subscribe: unused };
  return Object.keys(withPlainLists(() => buildSchemaSync({ resolvers, validate: false, pubSub })).getTypeMap());
}
