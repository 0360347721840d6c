import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  Info,
  InputType,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Assessment, AssessmentSubject, CauseSource } from '../../../schema/health/assessment.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { UuidText } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { invalidInput } from '../../errors/errors.ts';
import { orderingField, searchField } from '../lists/argument-fields.ts';
import { assessAsGuest } from './assess-as-guest.ts';
import { type AssessmentRow, assessmentOrdering, ownAssessment, ownAssessments } from './assessments.queries.ts';
import { createAssessment } from './create-assessment.ts';
import { deleteAssessment } from './delete-assessment.ts';
import type { CauseSource as SourceRow } from './evaluate.ts';

@InputType({ description: 'Symptom report of a guest.' })
class GuestAssessmentInput {
  @Field(() => AssessmentSubject, { description: 'Person the report is about.', defaultValue: 'myself' })
  subject!: string;

  @optionalField(() => String, 'Blood group, such as A, B+ or AB-.') bloodType?: string | null;

  @Field(() => String, { description: 'Allergies as free text, at most 1,000 characters.', defaultValue: '' })
  allergies!: string;

  @Field(() => [String], { description: '1 to 20 symptoms in plain English, each at most 100 characters.' })
  symptoms!: string[];

  @optionalField(() => String, 'Duration as free text, at most 100 characters; null when unknown.') symptomDuration?:
    | string
    | null;
  @optionalField(() => Boolean, 'Whether there are further, unnamed symptoms; null when unknown.') hasOtherSymptoms?:
    | boolean
    | null;
  @optionalField(() => String, 'Trend: `getting worse`, `getting better` or `no change`; null when unknown.')
  symptomsTrend?: string | null;
}

@InputType({ description: 'Symptom report with the fields that only stored assessments have.' })
class AssessmentDetails extends GuestAssessmentInput {
  @optionalField(() => Int, 'Severity from 1 to 10; null: derived by the engine.') severity?: number | null;

  @Field(() => String, { description: 'Additional notes, at most 2,000 characters.', defaultValue: '' })
  additionalNotes!: string;
}

@ArgsType()
class AssessmentsArgs {
  @searchField('symptoms, notes, allergies or a cause')
  search?: string | null;

  @orderingField(assessmentOrdering)
  ordering?: string | null;

  @Field(() => Int, { defaultValue: 1, description: 'Page number, from 1; a page has 200 assessments.' })
  page!: number;
}

@Resolver()
export class AssessmentRoots {
  @Access('verified')
  @Query(() => [Assessment], {
    description: "The caller's assessments, the newest first unless ordered; at most 200 per page.",
  })
  assessments(
    @Args(() => AssessmentsArgs) args: AssessmentsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AssessmentRow[]> {
    if (args.page < 1 || args.page > 10_000) throw invalidInput({ page: ['Enter a whole number from 1 to 10000.'] });
    return ownAssessments(context, args, selectionOf(info));
  }

  @Access('verified')
  @Query(() => Assessment, { nullable: true, description: "One of the caller's assessments; null for any other id." })
  assessment(
    @Arg('id', () => UuidText, { description: 'Id of the assessment.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AssessmentRow | null> {
    return ownAssessment(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => Assessment, { description: 'Assesses symptoms and stores the assessment.' })
  createAssessment(
    @Arg('input', () => AssessmentDetails, { description: 'Symptom report.' }) input: AssessmentDetails,
    @Ctx() context: Context,
  ): Promise<AssessmentRow> {
    return createAssessment(context, input);
  }

  @Access('public')
  @Mutation(() => Assessment, { description: 'Assesses symptoms and stores nothing.' })
  assessAsGuest(
    @Arg('input', () => GuestAssessmentInput, { description: 'Symptom report.' }) input: GuestAssessmentInput,
    @Ctx() context: Context,
  ): Promise<AssessmentRow> {
    return assessAsGuest(context, input);
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes one of the caller's assessments permanently." })
  async deleteAssessment(
    @Arg('id', () => UuidText, { description: 'Id of the assessment.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteAssessment(context, id);
    return true;
  }
}

@Resolver(() => CauseSource)
export class CauseSourceFields {
  /** Articles without a source URL get ours at read time: it depends on the origin, so it is not stored. */
  @FieldResolver(() => String, { description: 'Absolute URL.' })
  url(@Root() source: SourceRow, @Ctx() context: Context): string {
    return source.url ?? `${context.origin}/api/v1/articles/${source.article}/`;
  }
}
