import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import type { ListLimits } from '../text-problems.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

const maxTopics = 20;
const topicText = /^[a-z0-9][a-z0-9-]{0,49}$/;

/** Limits of the topics of a repository. Capitals are stored as small letters. */
export const topicLimits = {
  maxItems: maxTopics,
  items: { minLength: 1, maxLength: 50, pattern: '^[A-Za-z0-9][A-Za-z0-9-]*$' },
} as const satisfies ListLimits;

/**
 * Replaces the topics of a repository. Returns the repository's id.
 *
 * @throws 422 for more than 20 topics, and for names with other characters than lower-case letters, digits and hyphens
 */
export async function replaceTopics(
  context: Context,
  address: RepositoryAddress,
  names: readonly string[],
): Promise<number> {
  const topics = [...new Set(names.map(name => name.toLowerCase()))];
  const problem =
    names.length > maxTopics
      ? `A repository has at most ${maxTopics} topics.`
      : topics.every(topic => topicText.test(topic))
        ? undefined
        : 'A topic starts with a letter or digit, has up to 50 letters, digits and hyphens, and nothing else.';
  if (problem) {
    throw validationFailed([{ resource: 'Repository', field: 'names', code: 'custom', message: problem }]);
  }
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  await context.transaction(db =>
    sql`update repository set topics = ${topics}, updated_at = ${context.now()}
      where id = ${found.databaseId} and topics <> ${topics}::text[]`.execute(db),
  );
  return found.databaseId;
}
