import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { GoalType, HealthGoal, HealthGoalConnection } from '../../../schema/health/health-goal.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { CalendarDate, Decimal } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { orderingField, searchField } from '../lists/argument-fields.ts';
import { replaceGoal, updateGoal } from './change-goal.ts';
import { createGoal } from './create-goal.ts';
import { type GoalRow, goalOrdering, goals, matchingActivity } from './goals.queries.ts';

const descriptions = {
  unit: 'Unit of the values, at most 20 characters; that of the type by default.',
  description: 'Description, at most 255 characters; empty by default.',
  isActive: 'Whether the goal is active; true by default.',
  currentValue: 'Current value, not negative. A later measurement overrides it.',
  startDate: 'Start date, 1900 to 2199; the day of creation by default.',
  targetDate: 'Target date, not before the start date; null for none.',
} as const;

@InputType({ description: 'A complete goal.' })
class HealthGoalInput {
  @Field(() => GoalType, { description: 'Type of the goal.' }) goalType!: string;
  @Field(() => Decimal, {
    description: 'Target value: greater than zero, at most 10 digits, 2 of them decimal places.',
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
  description: 'Changes of a goal. An absent field stays unchanged; null clears the current value or the target date.',
})
class HealthGoalChange {
  @optionalField(() => GoalType, 'Type of the goal.') goalType?: string | null;
  @optionalField(() => Decimal, 'Target value.') targetValue?: string | null;
  @optionalField(() => String, descriptions.unit) unit?: string | null;
  @optionalField(() => String, descriptions.description) description?: string | null;
  @optionalField(() => Boolean, 'Whether the goal is active.') isActive?: boolean | null;
  @optionalField(() => Decimal, descriptions.currentValue) currentValue?: string | null;
  @optionalField(() => CalendarDate, 'Start date, 1900 to 2199.') startDate?: string | null;
  @optionalField(() => CalendarDate, descriptions.targetDate) targetDate?: string | null;
}

@ArgsType()
class GoalsArgs extends ConnectionArgs {
  @optionalField(() => Boolean, 'Whether the goals are active; both when absent.') isActive?: boolean | null;
  @searchField('the description or the type') search?: string | null;
  @orderingField(goalOrdering) ordering?: string | null;
}

const goalId = { description: 'Id of the goal.' };

@Resolver()
export class GoalRoots {
  @Access('verified')
  @Query(() => HealthGoalConnection, { description: "The caller's goals." })
  healthGoals(@Args(() => GoalsArgs) args: GoalsArgs, @Ctx() context: Context): Connection<GoalRow> {
    return new Connection(HealthGoalConnection, goals.page(context, args, matchingActivity(args.isActive)), args);
  }

  @Access('verified')
  @Query(() => HealthGoal, { nullable: true, description: "One of the caller's goals; null for any other id." })
  healthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow | null> {
    return goals.find(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => HealthGoal, { description: 'Creates a goal of the caller.' })
  async createHealthGoal(
    @Arg('input', () => HealthGoalInput, { description: 'Goal.' }) input: HealthGoalInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow> {
    return goals.get(context, await createGoal(context, input), selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => HealthGoal, { description: "Replaces one of the caller's goals; absent fields get their defaults." })
  async replaceHealthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Arg('input', () => HealthGoalInput, { description: 'Goal.' }) input: HealthGoalInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow> {
    await replaceGoal(context, id, input);
    return goals.get(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => HealthGoal, { description: "Updates one of the caller's goals." })
  async updateHealthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Arg('input', () => HealthGoalChange, { description: 'Changes.' }) input: HealthGoalChange,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow> {
    await updateGoal(context, id, input);
    return goals.get(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes one of the caller's goals." })
  async deleteHealthGoal(
    @Arg('id', () => GraphQLSafeInt, goalId) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await goals.delete(context, id);
    return true;
  }
}
