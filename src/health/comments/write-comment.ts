import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { forbidden, invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { differInAge, notBlockedBetween, notKeptApart } from '../community/blocks.ts';
import { ageError, recordRefusedContact } from '../community/refuse-contact.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledText } from '../input/text-limits.ts';
import { type CommentRow, commentSelectList } from './comments.queries.ts';

export interface NewComment {
  articleId: number;
  text: string;
  parentId?: number | null | undefined;
}

export const commentTextLimits = filledText(2_000);

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'pipeline' | 'rateLimiter' | 'transaction'>;

/**
 * Writes a comment or a reply. Replies are one level deep: a reply to a reply gets the same parent. The text is plain;
 * markup in it has no meaning.
 * @throws field errors; notFound for an article that is not visible; forbidden `other_age_group` or `date_of_birth_needed` for a reply to a
 *   person whom the age keeps apart; tooManyRequests
 */
export async function writeComment(
  context: Dependencies,
  { articleId, text, parentId }: NewComment,
  wanted: Selection,
): Promise<CommentRow> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const plain = checks.text('text', text, commentTextLimits);
  checks.assertPassed();
  await context.rateLimiter.charge([{ action: 'comment', key: String(userId) }]);
  const article = sql`article a where a.id = ${articleId} and ${isVisible(context)}`;
  const isReply = parentId !== null && parentId !== undefined;
  const [visible, [written]] = await context.pipeline([
    sql`select 1 from ${article} for no key update`,
    // Counts are updated in the same statement. A reply to a reply gets the same parent: it is read by the author of that one as well, who
    // can be of another age than a person who was below 18 then.
    sql<CommentRow>`
      with parent as (
        select top.id from article_comment c join article_comment top on top.id = coalesce(c.parent_id, c.id)
        where c.id = ${parentId ?? null}::bigint and c.article_id = ${articleId} and c.deleted_at is null
          and ${notKeptApart(userId, 'c.user_id')} and not ${differInAge(userId, 'top.user_id')}),
      written as (
        insert into article_comment (article_id, user_id, parent_id, text, created_at)
        select a.id, ${userId}, (select id from parent), ${plain}, ${context.now().toISOString()}
        from ${article} and (not ${isReply}::boolean or exists (select from parent)) returning *),
      counted as (
        update article set comment_count = comment_count + 1 where id = ${articleId} and exists (select from written)),
      replied as (
        update article_comment set replies_count = replies_count + 1 where id = (select parent_id from written))
      select ${commentSelectList(wanted, context)} from written c join users u on u.id = c.user_id`,
  ]);
  if (visible.length === 0) throw notFound();
  if (!written) throw await explainRefusal(context, { articleId, parentId: parentId ?? 0 });
  return written;
}

/** The error for a reply that was not written. One because of the ages is recorded for the moderators, as every such attempt. */
async function explainRefusal(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  { articleId, parentId }: { articleId: number; parentId: number },
): Promise<Error> {
  const { userId } = requirePerson(context.actor);
  const found = await context.transaction(db =>
    sql<{ authorId: number; isAgeKnown: boolean }>`
      select case when ${differInAge(userId, 'c.user_id')} then c.user_id else top.user_id end as "authorId", exists (select from users where id = ${userId} and age_group is not null) as "isAgeKnown"
      from article_comment c join article_comment top on top.id = coalesce(c.parent_id, c.id) where c.id = ${parentId} and c.article_id = ${articleId} and c.deleted_at is null
        and ${notBlockedBetween(userId, 'c.user_id')} and (${differInAge(userId, 'c.user_id')} or ${differInAge(userId, 'top.user_id')})`.execute(
      db,
    ),
  );
  const [parent] = found.rows;
  if (!parent) return invalidInput({ parentId: [`Invalid pk "${parentId}" - object does not exist.`] });
  await recordRefusedContact(context, { personId: userId, otherId: parent.authorId, kind: 'message' });
  return parent.isAgeKnown
    ? forbidden({ reason: 'other_age_group' }, 'Adults and people under 18 cannot reply to each other.')
    : ageError('date_of_birth_needed');
}
