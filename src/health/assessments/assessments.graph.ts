import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, Int, Mutation, Resolver, Root } from 'type-graphql';
import { Article } from '../../../schema/health/article.ts';
import {
  Assessment,
  AssessmentConnection,
  AssessmentOrder,
  AssessmentResult,
  CauseSource,
} from '../../../schema/health/assessment.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { uuidOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { absent, invalidInput } from '../../errors/errors.ts';
import { type ArticleRow, articlesByIds } from '../articles/articles.queries.ts';
import { orderByField, searchField } from '../lists/argument-fields.ts';
import { buildNotice } from '../safety/safety-notice.ts';
import { type Heard, safetyResolvers, withSafety } from '../safety/written-safety.ts';
import { assessSymptomsAsGuest } from './assess-symptoms-as-guest.ts';
import { AssessSymptomsAsGuestInput, CreateAssessmentInput, DeleteAssessmentInput } from './assessment-input.ts';
import { type AssessmentRow, ownAssessment, ownAssessmentPage, ownAssessments } from './assessments.queries.ts';
import { createAssessment, type EvaluatedAssessment } from './create-assessment.ts';
import { deleteAssessment } from './delete-assessment.ts';
import type { AssessmentResult as ResultRow, CauseSource as SourceRow } from './evaluate.ts';

const searched = 'symptoms, notes, allergies or a cause';

@ArgsType()
class AssessmentsArgs extends ConnectionArgs {
  @searchField(searched) search?: string | null;
  @orderByField(() => AssessmentOrder) orderBy?: string[] | null;
}

@ArgsType()
class AssessmentPageArgs {
  @searchField(searched) search?: string | null;
  @orderByField(() => AssessmentOrder) orderBy?: string[] | null;

  @optionalField(() => Int, 'Page number, from 1; null: the newest 200 assessments.') page?: number | null;

  @Field(() => Int, { defaultValue: 20, description: 'Assessments per page, 1 to 100.' })
  pageSize!: number;
}

const assessment = (description: string) => ({ assessment: [() => Assessment, description] }) as const;
const CreateAssessmentPayload = payloadOf('createAssessment', assessment('Assessment that was stored.'));
const AssessSymptomsAsGuestPayload = payloadOf('assessSymptomsAsGuest', assessment('Assessment, which is not stored.'));
export const assessmentSafety = safetyResolvers(Assessment, CreateAssessmentPayload, AssessSymptomsAsGuestPayload);
const DeleteAssessmentPayload = payloadOf('deleteAssessment', {
  deletedId: [() => ID, 'Global id of the deleted assessment.'],
});

@Resolver(() => Person)
export class PersonAssessments {
  @Access('verified')
  @FieldResolver(() => AssessmentConnection, { nullable: true, description: 'Assessments of symptoms, newest first.' })
  assessments(@Args(() => AssessmentsArgs) args: AssessmentsArgs, @Ctx() context: Context): Connection<AssessmentRow> {
    return new Connection(AssessmentConnection, ownAssessments(context, args), args);
  }

  @RestCorner('The contract has a plain array, and 200 assessments without a page number. Use `assessments`.')
  @Access('verified')
  @FieldResolver(() => [Assessment], { nullable: true, description: 'Page of assessments, newest first.' })
  async assessmentPage(
    @Args(() => AssessmentPageArgs) args: AssessmentPageArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AssessmentRow[]> {
    const { page = null, pageSize } = args;
    if (page !== null && page < 1) throw invalidInput({ page: ['Enter a whole number from 1.'] });
    if (pageSize < 1 || pageSize > 100) throw invalidInput({ pageSize: ['Enter a whole number from 1 to 100.'] });
    const rows = await ownAssessmentPage(context, args, selectionOf(info));
    if (rows.length === 0 && page !== null && page > 1) throw absent({ reason: 'not_found' }, 'Invalid page.');
    return rows;
  }

  @Access('verified')
  @Cost(1)
  @FieldResolver(() => Assessment, {
    nullable: true,
    description: 'Assessment with this global id; null if there is none.',
  })
  assessment(
    @Arg('id', () => ID, { description: 'Global id of the assessment.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AssessmentRow | null> {
    return ownAssessment(context, uuidOfId('Assessment', id, 'id'), selectionOf(info));
  }
}

@Resolver()
export class AssessmentRoots {
  @Access('verified')
  @Mutation(() => CreateAssessmentPayload, { nullable: true, description: 'Assesses symptoms and stores the result.' })
  async createAssessment(
    @InputArg(() => CreateAssessmentInput) input: CreateAssessmentInput,
    @Ctx() context: Context,
  ): Promise<{ assessment: AssessmentRow } & Heard> {
    return assessed(context, await createAssessment(context, input));
  }

  @Access('public')
  @Mutation(() => AssessSymptomsAsGuestPayload, {
    nullable: true,
    description: 'Assesses symptoms without an account and stores nothing.',
  })
  async assessSymptomsAsGuest(
    @InputArg(() => AssessSymptomsAsGuestInput) input: AssessSymptomsAsGuestInput,
    @Ctx() context: Context,
  ): Promise<{ assessment: AssessmentRow } & Heard> {
    return assessed(context, await assessSymptomsAsGuest(context, input));
  }

  @Access('verified')
  @Mutation(() => DeleteAssessmentPayload, { nullable: true, description: 'Deletes an assessment permanently.' })
  async deleteAssessment(
    @InputArg(() => DeleteAssessmentInput) { assessmentId }: DeleteAssessmentInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await deleteAssessment(context, uuidOfId('Assessment', assessmentId, 'assessmentId'));
    return { deletedId: assessmentId };
  }
}

function assessed({ config }: Context, { row, finding }: EvaluatedAssessment): { assessment: AssessmentRow } & Heard {
  return withSafety('assessment', row, async () => buildNotice(finding, config.CRISIS_HELPLINE_COUNTRIES));
}

/** Causes whose questions are offered. */
const maxQuestions = 3;

@Resolver(() => AssessmentResult)
export class AssessmentResultFields {
  @ListSize(maxQuestions)
  @FieldResolver(() => [String], {
    description: 'Questions about the most likely causes, at most 3, which the companion answers.',
  })
  questions(@Root() { possibleCauses }: ResultRow): string[] {
    return possibleCauses.slice(0, maxQuestions).map(({ condition }) => `What is ${condition}?`);
  }
}

@Resolver(() => CauseSource)
export class CauseSourceFields {
  @FieldResolver(() => Article, {
    nullable: true,
    description: 'Article of this service; null for any other source and for an article that was withdrawn.',
  })
  article(
    @Root() source: SourceRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> | null {
    return source.article === null ? null : context.load(articlesByIds, selectionOf(info)).load(source.article);
  }

  @FieldResolver(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Number of the article of this service; null for any other source.',
  })
  articleDatabaseId(@Root() source: SourceRow): number | null {
    return source.article;
  }

  /** Articles without a source URL get ours at read time: it depends on the origin, so it is not stored. */
  @FieldResolver(() => Uri, { description: 'Absolute URL of the source.' })
  url(@Root() source: SourceRow, @Ctx() context: Context): string {
    return source.url ?? `${context.origin}/api/v1/articles/${source.article}/`;
  }
}
