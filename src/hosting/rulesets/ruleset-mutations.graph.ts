import { Ctx, Field, ID, InputType, Mutation, Resolver } from 'type-graphql';
import { RepositoryRuleInput } from '../../../schema/hosting/rule.ts';
import {
  RepositoryRuleset,
  RepositoryRulesetTarget,
  RuleEnforcement,
  type RulesetEnforcementValue,
  type RulesetTargetValue,
} from '../../../schema/hosting/ruleset.ts';
import { RepositoryRulesetBypassActorInput } from '../../../schema/hosting/ruleset-bypass-actor.ts';
import { RepositoryRuleConditionsInput } from '../../../schema/hosting/ruleset-conditions.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { NotNull } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { notFound } from '../../errors/errors.ts';
import { assertRuleId, bypassActorDocument, conditionsDocument, ruleDocument } from './ruleset-documents.ts';
import type { RulesetSource } from './ruleset-source.ts';
import { type RulesetRow, rulesetOf } from './rulesets.queries.ts';
import { accessOfSource, writableSource, writableSourceOf } from './writable-source.ts';
import { createRuleset, deleteRuleset, type RulesetInput, updateRuleset } from './write-ruleset.ts';

const descriptions = {
  name: 'Name, unique in the source, at most 100 characters.',
  enforcement: 'Whether violations are refused, only recorded, or ignored.',
  rules: 'Rules, at most 50.',
  bypassActors: 'Actors that may bypass it, at most 100.',
  source: 'Repository or organization that the ruleset has to belong to.',
} as const;

@InputType({ description: 'Input of `createRepositoryRuleset`.' })
class CreateRepositoryRulesetInput {
  @Field(() => ID, { description: 'Repository or organization that it belongs to.' }) sourceId!: string;
  @Field(() => String, { description: descriptions.name }) name!: string;
  @optionalField(() => RepositoryRulesetTarget, 'Target; branches by default.') target?: RulesetTargetValue | null;
  @Field(() => RuleEnforcement, { description: descriptions.enforcement }) enforcement!: RulesetEnforcementValue;
  @optionalField(() => RepositoryRuleConditionsInput, 'Refs and repositories that it applies to.')
  conditions?: RepositoryRuleConditionsInput | null;
  @optionalField(() => [RepositoryRuleInput], descriptions.rules) rules?: RepositoryRuleInput[] | null;
  @optionalField(() => [RepositoryRulesetBypassActorInput], descriptions.bypassActors)
  bypassActors?: RepositoryRulesetBypassActorInput[] | null;
}

@InputType({ description: 'Input of `updateRepositoryRuleset`. What is absent stays unchanged.' })
class UpdateRepositoryRulesetInput {
  @Field(() => ID, { description: 'Ruleset to change.' }) repositoryRulesetId!: string;
  @optionalField(() => ID, descriptions.source) sourceId?: string | null;
  @NotNull()
  @optionalField(() => String, descriptions.name)
  name?: string | null;
  @optionalField(() => RepositoryRulesetTarget, 'Target of the ruleset; not `REPOSITORY`.')
  target?: RulesetTargetValue | null;
  @optionalField(() => RuleEnforcement, descriptions.enforcement) enforcement?: RulesetEnforcementValue | null;
  @optionalField(() => RepositoryRuleConditionsInput, 'Refs and repositories; replaces all conditions. Null for none.')
  conditions?: RepositoryRuleConditionsInput | null;
  @optionalField(() => [RepositoryRuleInput], 'Rules, at most 50; replaces all rules.')
  rules?: RepositoryRuleInput[] | null;
  @optionalField(() => [RepositoryRulesetBypassActorInput], 'Actors, at most 100; replaces all actors.')
  bypassActors?: RepositoryRulesetBypassActorInput[] | null;
}

@InputType({ description: 'Input of `deleteRepositoryRuleset`.' })
class DeleteRepositoryRulesetInput {
  @Field(() => ID, { description: 'Ruleset to delete.' }) repositoryRulesetId!: string;
  @optionalField(() => ID, descriptions.source) sourceId?: string | null;
}

const CreateRepositoryRulesetPayload = payloadOf('createRepositoryRuleset', {
  ruleset: [() => RepositoryRuleset, 'Ruleset that was created.'],
});
const UpdateRepositoryRulesetPayload = payloadOf('updateRepositoryRuleset', {
  ruleset: [() => RepositoryRuleset, 'Ruleset, as it is now.'],
});
const DeleteRepositoryRulesetPayload = payloadOf('deleteRepositoryRuleset', {
  deletedId: [() => ID, 'Global id of the deleted ruleset.'],
});

/** The documents of an input. @throws GraphQLError BAD_USER_INPUT */
function documentsOf(
  input: CreateRepositoryRulesetInput | UpdateRepositoryRulesetInput,
  rulesetId?: number,
): RulesetInput {
  const { name, target, enforcement, conditions, rules, bypassActors } = input;
  rules?.forEach((rule, index) => {
    assertRuleId(rule, index, rulesetId);
  });
  return {
    ...(name === undefined ? {} : { name }),
    ...(conditions === undefined ? {} : { conditions: conditions && conditionsDocument(conditions) }),
    target: target ?? null,
    enforcement: enforcement ?? null,
    rules: rules?.map(ruleDocument) ?? null,
    bypassActors: bypassActors?.map(bypassActorDocument) ?? null,
  };
}

const rulesetNumber = (id: string): number => numberOfId('RepositoryRuleset', id, 'repositoryRulesetId');

async function readChanged(context: Context, source: RulesetSource, id: number): Promise<{ ruleset: RulesetRow }> {
  const ruleset = await rulesetOf(context, source, id);
  if (!ruleset) throw notFound();
  return { ruleset };
}

/**
 * The access word admits every caller, because the source decides which permission is needed: `writableSource` checks it before
 * anything is written.
 */
@Resolver()
export class RulesetMutations {
  @Access('metadata:read', accessOfSource)
  @Mutation(() => CreateRepositoryRulesetPayload, {
    nullable: true,
    description: 'Creates a ruleset of a repository or an organization that you administer, for all later pushes.',
  })
  async createRepositoryRuleset(
    @InputArg(() => CreateRepositoryRulesetInput) input: CreateRepositoryRulesetInput,
    @Ctx() context: Context,
  ): Promise<{ ruleset: RulesetRow }> {
    const documents = documentsOf(input);
    const source = await writableSource(context, input.sourceId);
    return readChanged(context, source, await createRuleset(context, source, documents));
  }

  @Access('metadata:read', accessOfSource)
  @Mutation(() => UpdateRepositoryRulesetPayload, {
    nullable: true,
    description: 'Updates a ruleset whose source you administer.',
  })
  async updateRepositoryRuleset(
    @InputArg(() => UpdateRepositoryRulesetInput) input: UpdateRepositoryRulesetInput,
    @Ctx() context: Context,
  ): Promise<{ ruleset: RulesetRow }> {
    const id = rulesetNumber(input.repositoryRulesetId);
    const documents = documentsOf(input, id);
    const source = await writableSourceOf(context, id, input.sourceId);
    return readChanged(context, source, await updateRuleset(context, source, id, documents));
  }

  @Access('metadata:read', accessOfSource)
  @Mutation(() => DeleteRepositoryRulesetPayload, {
    nullable: true,
    description: 'Deletes a ruleset whose source you administer. Recorded results of its rules remain.',
  })
  async deleteRepositoryRuleset(
    @InputArg(() => DeleteRepositoryRulesetInput) { repositoryRulesetId, sourceId }: DeleteRepositoryRulesetInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const id = rulesetNumber(repositoryRulesetId);
    await deleteRuleset(context, await writableSourceOf(context, id, sourceId), id);
    return { deletedId: repositoryRulesetId };
  }
}
