import { randomBytes, randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { normalizeText } from 'triage/text/normalize-text';
import type { GroupVisibility } from '../../../schema/health/group-visibility.ts';
import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledText, filledTexts } from '../input/text-limits.ts';
import { refreshMatchingTerms } from '../profiles/matching-terms.ts';
import { memberAddition } from './change-membership.ts';
import { ageProblem, requireAge } from './refuse-contact.ts';

export interface NewCommunityGroup {
  name: string;
  slug?: string | null;
  description?: string | null;
  conditionTags?: string[] | null;
  /** Open by default. */
  visibility?: GroupVisibility | null;
  /** Of its chat. */
  sharesHistory?: boolean | null;
}

type Dependencies = Pick<Context, 'actor' | 'now' | 'transaction'>;

const maxSlugLength = 110;

export const communityGroupLimits = {
  name: filledText(100, 3),
  slug: { maxLength: maxSlugLength, pattern: '^[-\\w]*$' },
  description: { maxLength: 1000 },
  conditionTags: filledTexts(10, 50),
};

// recheck-ignore: one class of characters
const slugPattern = new RegExp(communityGroupLimits.slug.pattern);

/**
 * Creates a group with its chat. The creator becomes its owner and first member but joins the chat separately, like all members.
 * Returns the id.
 * @throws field errors, also for a name or slug in use; forbidden with an `AgeProblem`
 */
export async function createCommunityGroup(context: Dependencies, input: NewCommunityGroup): Promise<number> {
  const { userId } = requirePerson(context.actor);
  const group = validateGroup(input);
  return context.transaction(async db => {
    const now = context.now().toISOString();
    // The unique indexes decide between concurrent calls.
    const made = await sql<{ id: number }>`
      insert into community_group (name, slug, description, condition_tags, visibility, creator_id, created_at)
      select ${group.name}, ${group.slug}, ${group.description}, ${group.conditionTags}::text[], ${group.visibility}, ${userId}, ${now}::timestamptz
      where ${ageProblem(userId)} is null
      on conflict do nothing returning id`.execute(db);
    const id = made.rows[0]?.id;
    if (id === undefined) {
      await requireAge(db, userId);
      throw await buildConflictError(db, group);
    }
    await sql`insert into chat_group (id, name, description, visibility, shares_history, community_id, creator_id, created_at)
      values (${randomUUID()}, ${group.name}, ${`Chat of the community group ${group.name}.`}, ${group.visibility},
        ${input.sharesHistory ?? false}, ${id}, ${userId}, ${now})`.execute(db);
    await memberAddition(id, userId, now, sql`true`).execute(db);
    await refreshMatchingTerms(db, [userId]);
    return id;
  });
}

function validateGroup(input: NewCommunityGroup): {
  name: string;
  slug: string;
  description: string;
  conditionTags: string[];
  visibility: GroupVisibility;
} {
  const checks = new InputChecks();
  const name = checks.name('name', input.name, communityGroupLimits.name);
  const description = checks.text('description', input.description ?? '', communityGroupLimits.description);
  const conditionTags = checks.texts('conditionTags', input.conditionTags ?? [], communityGroupLimits.conditionTags);
  const visibility = input.visibility ?? 'open';
  if (visibility === 'secret' && input.slug) checks.add('slug', 'A secret group gets a slug that nobody can guess.');
  // A slug that is taken would tell that there is a secret group of this name.
  const derived = visibility === 'secret' ? randomSlug() : buildSlug(name);
  const slug = input.slug ? checks.text('slug', input.slug, communityGroupLimits.slug) : derived;
  if (!slugPattern.test(slug)) {
    checks.add('slug', 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.');
  }
  checks.assertPassed();
  return {
    name,
    slug,
    description,
    visibility,
    conditionTags: [...new Set(conditionTags.map(tag => tag.toLowerCase()))],
  };
}

/** `Sjögren & friends` → `sjogren-friends`. A name without Latin letters or digits gets a random slug. */
function buildSlug(name: string): string {
  const slug = normalizeText(name, 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength)
    .replace(/^-|-$/g, '');
  return slug === '' ? randomSlug() : slug;
}

const randomSlug = (): string => `group-${randomBytes(4).toString('hex')}`;

async function buildConflictError(db: Kysely<unknown>, { name, slug }: { name: string; slug: string }): Promise<Error> {
  const found = await sql<{ slug: boolean; name: boolean }>`
    select coalesce(bool_or(slug = ${slug}), false) as slug, coalesce(bool_or(lower(name) = lower(${name}) and visibility <> 'secret'), false) as name
    from community_group where slug = ${slug} or (lower(name) = lower(${name}) and visibility <> 'secret')`.execute(db);
  const problems: Record<string, string[]> = {};
  if (found.rows[0]?.name) problems.name = ['community group with this name already exists.'];
  // Also when the conflicting group is gone by now: the client can retry.
  if (found.rows[0]?.slug || !problems.name) problems.slug = ['community group with this slug already exists.'];
  return invalidInput(problems);
}
