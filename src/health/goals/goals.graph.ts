import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { GoalType, HealthGoal, HealthGoalPage } from '../../../schema/health/health-goal.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import { CalendarDate, Decimal } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { replaceGoal, updateGoal } from './change-goal.ts';
import { createGoal } from './create-goal.ts';
import { deleteGoal } from './delete-goal.ts';
import { type GoalRow, goalById, goalsMatching } from './goals.queries.ts';

const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

const descriptions = {
  unit: 'Unit of the values, at most 20 characters; the usual one of the type unless given.',
  description: 'At most 255 characters; empty unless given.',
  isActive: 'Whether it is being pursued; true unless given.',
  currentValue: 'Where the person stands, not negative. A measurement made later counts more.',
  startDate: 'When it begins, 1900 to 2199; the day on which it was made unless given.',
  targetDate: 'When it is to be reached, not before it begins.',
} as const;

@InputType({ description: 'A whole goal.' })
class HealthGoalInput {
  @Field(() => GoalType, { description: 'What it is about.' }) goalType!: string;
  @Field(() => Decimal, {
    description: 'What is to be reached: more than zero, at most 10 digits, 2 of them decimals.',
  })
  targetValue!: string;
  @optionalField(() => String, descriptions.unit) unit?: string | null;
  @optionalField(() => String, descriptions.description) description?: string | null;
  @optionalField(() => Boolean, descriptions.isActive) isActive?: boolean | null;
  @optionalField(() => Decimal, descriptions.currentValue) currentValue?: string | null;
  @optionalField(() => CalendarDate, descriptions.startDate) startDate?: string | null;
  @optionalField(() => CalendarDate, descriptions.targetDate) targetDate?: string | null;
}

@InputType({
  description: 'What to change of a goal: absent keys stay as they are, null takes a value or a target date away.',
})
class HealthGoalChange {
  @optionalField(() => GoalType, 'What it is about.') goalType?: string | null;
  @optionalField(() => Decimal, 'What is to be reached.') targetValue?: string | null;
  @optionalField(() => String, descriptions.unit) unit?: string | null;
  @optionalField(() => String, descriptions.description) description?: string | null;
  @optionalField(() => Boolean, 'Whether it is being pursued.') isActive?: boolean | null;
  @optionalField(() => Decimal, descriptions.currentValue) currentValue?: string | null;
  @optionalField(() => CalendarDate, 'When it begins, 1900 to 2199.') startDate?: string | null;
  @optionalField(() => CalendarDate, descriptions.targetDate) targetDate?: string | null;
}

@ArgsType()
class GoalsArgs extends PageArgs {
  @optionalField(() => Boolean, 'Only goals that are pursued, or only those that are not.') isActive?: boolean | null;
  @optionalField(
    () => String,
    'Words or "quoted phrases", each of which must occur in the description or the type; at most 20.',
  )
  search?: string | null;
  @optionalField(
    () => String,
    'Comma separated: created_at, target_value, goal_type, target_date; a leading - turns the order round. Other names are ignored; the newest come first by default.',
  )
  ordering?: string | null;
}

const goalId = { description: 'Number of the goal.' };

@Resolver()
export class GoalRoots {
  @Access('verified')
  @Query(() => HealthGoalPage, { description: 'Goals of the caller.' })
  healthGoals(@Args(() => GoalsArgs) args: GoalsArgs, @Ctx() context: Context): Page<GoalRow> {
    return new Page(goalsMatching(context, requirePerson(context.actor).userId, args), args);
  }

  @Access('verified')
  @Query(() => HealthGoal, { nullable: true, description: 'One goal of the caller; null when there is none.' })
  healthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow | null> {
    return goalById(context, requirePerson(context.actor).userId, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => HealthGoal, { description: 'Makes a goal of the caller.' })
  async createHealthGoal(
    @Arg('input', () => HealthGoalInput, { description: 'The goal.' }) input: HealthGoalInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow> {
    return loadChangedGoal(context, await createGoal(context, input), info);
  }

  @Access('verified')
  @Mutation(() => HealthGoal, { description: 'Puts another goal in the place of one: what is absent has its default.' })
  async replaceHealthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Arg('input', () => HealthGoalInput, { description: 'The goal.' }) input: HealthGoalInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow> {
    await replaceGoal(context, id, input);
    return loadChangedGoal(context, id, info);
  }

  @Access('verified')
  @Mutation(() => HealthGoal, { description: 'Changes a goal of the caller.' })
  async updateHealthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Arg('input', () => HealthGoalChange, { description: 'The changes.' }) input: HealthGoalChange,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow> {
    await updateGoal(context, id, input);
    return loadChangedGoal(context, id, info);
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: 'Deletes a goal of the caller.' })
  async deleteHealthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteGoal(context, id);
    return true;
  }
}

/** Somebody else may delete it between the change and the answer. */
async function loadChangedGoal(context: Context, id: number, info: GraphQLResolveInfo): Promise<GoalRow> {
  const goal = await goalById(context, requirePerson(context.actor).userId, id, selectionOf(info));
  if (!goal) throw notFound();
  return goal;
}
