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
import { UuidText } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { invalidInput } from '../../errors/errors.ts';
import { assessAsGuest } from './assess-as-guest.ts';
import { type AssessmentRow, ownAssessment, ownAssessments } from './assessments.queries.ts';
import { createAssessment } from './create-assessment.ts';
import { deleteAssessment } from './delete-assessment.ts';
import type { CauseSource as SourceRow } from './evaluate.ts';

const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@InputType({ description: 'What somebody tells of symptoms.' })
class GuestAssessmentInput {
  @Field(() => AssessmentSubject, { description: 'Whom it is about.', defaultValue: 'myself' })
  subject!: string;

  @optionalField(() => String, 'Blood group, such as A, B+ or AB-.') bloodType?: string | null;

  @Field(() => String, { description: 'Allergies in words, at most 1,000 characters.', defaultValue: '' })
  allergies!: string;

  @Field(() => [String], { description: 'From 1 to 20 symptoms of at most 100 characters each, in plain English.' })
  symptoms!: string[];

  @optionalField(() => String, 'How long it has lasted, in words of at most 100 characters.') symptomDuration?:
    | string
    | null;
  @optionalField(() => Boolean, 'Whether there are symptoms that are not named.') hasOtherSymptoms?: boolean | null;
  @optionalField(() => String, '`getting worse`, `getting better` or `no change`.') symptomsTrend?: string | null;
}

@InputType({ description: 'What somebody tells of symptoms, with what is stored beside it.' })
class AssessmentDetails extends GuestAssessmentInput {
  @optionalField(() => Int, 'From 1 to 10 as the person rates it; without it the engine derives one.') severity?:
    | number
    | null;

  @Field(() => String, { description: 'What else there is to tell, at most 2,000 characters.', defaultValue: '' })
  additionalNotes!: string;
}

@ArgsType()
class AssessmentsArgs {
  @optionalField(
    () => String,
    'Words or "quoted phrases", each of which must occur in symptoms, notes, allergies or a cause; at most 20.',
  )
  search?: string | null;

  @optionalField(
    () => String,
    'Comma separated: created_at, severity, status, subject, id; a leading - turns the order round. Others are ignored.',
  )
  ordering?: string | null;

  @Field(() => Int, { defaultValue: 1, description: 'Which 200 of them, from 1.' })
  page!: number;
}

@Resolver()
export class AssessmentRoots {
  @Access('verified')
  @Query(() => [Assessment], { description: "The caller's own assessments, the newest first, 200 at most." })
  assessments(
    @Args(() => AssessmentsArgs) args: AssessmentsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AssessmentRow[]> {
    if (args.page < 1 || args.page > 10_000) throw invalidInput({ page: ['Enter a whole number from 1 to 10000.'] });
    return ownAssessments(context, args, selectionOf(info));
  }

  @Access('verified')
  @Query(() => Assessment, { nullable: true, description: "One of the caller's own assessments; null for any other." })
  assessment(
    @Arg('id', () => UuidText, { description: 'Identifier of the assessment.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AssessmentRow | null> {
    return ownAssessment(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => Assessment, { description: 'Assesses symptoms and stores the assessment.' })
  createAssessment(
    @Arg('input', () => AssessmentDetails, { description: 'What is told.' }) input: AssessmentDetails,
    @Ctx() context: Context,
  ): Promise<AssessmentRow> {
    return createAssessment(context, input);
  }

  @Access('public')
  @Mutation(() => Assessment, { description: 'Assesses symptoms and stores nothing at all.' })
  assessAsGuest(
    @Arg('input', () => GuestAssessmentInput, { description: 'What is told.' }) input: GuestAssessmentInput,
    @Ctx() context: Context,
  ): Promise<AssessmentRow> {
    return assessAsGuest(context, input);
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes one of the caller's own assessments for good." })
  async deleteAssessment(
    @Arg('id', () => UuidText, { description: 'Identifier of the assessment.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteAssessment(context, id);
    return true;
  }
}

@Resolver(() => CauseSource)
export class CauseSourceFields {
  /** Not stored for articles that have no other address than ours, because that may change. */
  @FieldResolver(() => String, { description: 'Absolute address.' })
  url(@Root() source: SourceRow, @Ctx() context: Context): string {
    return source.url ?? `${context.origin}/api/v1/articles/${source.article}/`;
  }
}
