import { buildSchema, findBreakingChanges, type GraphQLSchema } from 'graphql';
import { breakingSection } from './changelog.ts';

/**
 * Changes since the released schema that break a client and that the changelog does not announce under "Unreleased", "Breaking".
 * Before 1.0.0 any entry there announces all of them; from then on each entry names the type or `Type.field` in backticks.
 */
export function unannouncedChanges(
  released: string,
  current: GraphQLSchema,
  changelog: string,
  version: string,
): string[] {
  const section = breakingSection(changelog);
  const changes = findBreakingChanges(buildSchema(released), current).map(({ description }) => description);
  if (version.startsWith('0.')) return section === '' ? changes : [];
  return changes.filter(change => !section.includes(`\`${subjectOf(change)}\``));
}

/** The type or `Type.field` that graphql-js names first. */
function subjectOf(change: string): string {
  return /\b[A-Z]\w+(\.\w+)?/.exec(change)?.[0] ?? change;
}
