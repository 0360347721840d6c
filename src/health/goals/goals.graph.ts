import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { GoalType, HealthGoal, HealthGoalConnection, HealthGoalOrder } from '../../../schema/health/health-goal.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits, NotNull } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { CalendarDate, Decimal } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { orderByField, searchField } from '../lists/argument-fields.ts';
import { noticeOfGoal } from '../safety/safety-notice.ts';
import { type Heard, safetyResolvers, withSafety } from '../safety/written-safety.ts';
import { replaceGoal, updateGoal } from './change-goal.ts';
import { createGoal } from './create-goal.ts';
import { type GoalRow, goals, matchingActivity } from './goals.queries.ts';
import { goalLimits } from './validate-goal.ts';

const descriptions = {
  unit: 'Unit of the values, at most 20 characters; that of the type by default.',
  description: 'Description, at most 255 characters; empty by default.',
  isActive: 'Whether the goal is active; true by default.',
  currentValue: 'Current value, not negative. A later measurement takes precedence.',
  startOn: 'Start date, 1900 to 2199; the day of creation by default.',
  targetOn: 'Target date, not before the start date; null for none.',
} as const;

@InputType({ description: 'Input of `createHealthGoal`.' })
class CreateHealthGoalInput {
  @Field(() => GoalType, { description: 'Type of the goal.' }) goalType!: string;
  @Limits(goalLimits.targetValue)
  @Field(() => Decimal, {
    description: 'Target value, greater than 0, at most 10 digits with 2 decimal places.',
  })
  targetValue!: string;
  @NotNull()
  @Limits(goalLimits.unit)
  @optionalField(() => String, descriptions.unit)
  unit?: string | null;
  @NotNull()
  @Limits(goalLimits.description)
  @optionalField(() => String, descriptions.description)
  description?: string | null;
  @NotNull()
  @optionalField(() => Boolean, descriptions.isActive)
  isActive?: boolean | null;
  @Limits(goalLimits.currentValue)
  @optionalField(() => Decimal, descriptions.currentValue)
  currentValue?: string | null;
  @NotNull()
  @optionalField(() => CalendarDate, descriptions.startOn)
  startOn?: string | null;
  @optionalField(() => CalendarDate, descriptions.targetOn) targetOn?: string | null;
}

@InputType({
  description:
    'Input of `updateHealthGoal`. An absent field stays unchanged; null clears `currentValue` and `targetOn`.',
})
class UpdateHealthGoalInput {
  @Field(() => ID, { description: 'Goal to change.' }) goalId!: string;
  @NotNull()
  @optionalField(() => GoalType, 'Type of the goal.')
  goalType?: string | null;
  @NotNull()
  @Limits(goalLimits.targetValue)
  @optionalField(() => Decimal, 'Target value, greater than 0, at most 10 digits with 2 decimal places.')
  targetValue?: string | null;
  @NotNull()
  @Limits(goalLimits.unit)
  @optionalField(() => String, descriptions.unit)
  unit?: string | null;
  @NotNull()
  @Limits(goalLimits.description)
  @optionalField(() => String, descriptions.description)
  description?: string | null;
  @NotNull()
  @optionalField(() => Boolean, 'Whether the goal is active.')
  isActive?: boolean | null;
  @Limits(goalLimits.currentValue)
  @optionalField(() => Decimal, descriptions.currentValue)
  currentValue?: string | null;
  @NotNull()
  @optionalField(() => CalendarDate, 'Start date, 1900 to 2199.')
  startOn?: string | null;
  @optionalField(() => CalendarDate, descriptions.targetOn) targetOn?: string | null;
}

@InputType({ description: 'Input of `replaceHealthGoal`. Absent fields get the defaults of a new goal.' })
class ReplaceHealthGoalInput extends CreateHealthGoalInput {
  @Field(() => ID, { description: 'Goal to replace.' }) goalId!: string;
}

@InputType({ description: 'Input of `deleteHealthGoal`.' })
class DeleteHealthGoalInput {
  @Field(() => ID, { description: 'Goal to delete.' }) goalId!: string;
}

@ArgsType()
class GoalsArgs extends ConnectionArgs {
  @optionalField(() => Boolean, 'Only active goals, or only inactive ones; both by default.') isActive?: boolean | null;
  @searchField('the description or the type') search?: string | null;
  @orderByField(() => HealthGoalOrder) orderBy?: string[] | null;
}

const CreateHealthGoalPayload = payloadOf('createHealthGoal', { goal: [() => HealthGoal, 'Goal that was created.'] });
const ReplaceHealthGoalPayload = payloadOf('replaceHealthGoal', {
  goal: [() => HealthGoal, 'Goal with the new values alone.'],
});
const UpdateHealthGoalPayload = payloadOf('updateHealthGoal', {
  goal: [() => HealthGoal, 'Goal with the changed values.'],
});
export const goalSafety = safetyResolvers(
  HealthGoal,
  CreateHealthGoalPayload,
  ReplaceHealthGoalPayload,
  UpdateHealthGoalPayload,
);
const DeleteHealthGoalPayload = payloadOf('deleteHealthGoal', {
  deletedId: [() => ID, 'Global id of the deleted goal.'],
});

interface GoalPayload extends Heard {
  goal: GoalRow;
}

@Resolver(() => Person)
export class PersonGoals {
  @Access('verified')
  @FieldResolver(() => HealthGoalConnection, { nullable: true, description: 'Goals, newest first.' })
  goals(@Args(() => GoalsArgs) args: GoalsArgs, @Ctx() context: Context): Connection<GoalRow> {
    return new Connection(HealthGoalConnection, goals.page(context, args, matchingActivity(args.isActive)), args);
  }

  @Access('verified')
  @Cost(1)
  @FieldResolver(() => HealthGoal, { nullable: true, description: 'Goal with this global id; null if there is none.' })
  goal(
    @Arg('id', () => ID, { description: 'Global id of the goal.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalRow | null> {
    return goals.find(context, goalNumber(id, 'id'), selectionOf(info));
  }
}

@Resolver()
export class GoalRoots {
  @Access('verified')
  @Mutation(() => CreateHealthGoalPayload, { nullable: true, description: 'Creates a goal.' })
  async createHealthGoal(
    @InputArg(() => CreateHealthGoalInput) input: CreateHealthGoalInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalPayload> {
    return readChanged(context, await createGoal(context, input), info);
  }

  @Access('verified')
  @Mutation(() => ReplaceHealthGoalPayload, { nullable: true, description: 'Replaces a goal.' })
  async replaceHealthGoal(
    @InputArg(() => ReplaceHealthGoalInput) { goalId, ...input }: ReplaceHealthGoalInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalPayload> {
    const id = goalNumber(goalId);
    await replaceGoal(context, id, input);
    return readChanged(context, id, info);
  }

  @Access('verified')
  @Mutation(() => UpdateHealthGoalPayload, { nullable: true, description: 'Updates a goal.' })
  async updateHealthGoal(
    @InputArg(() => UpdateHealthGoalInput) { goalId, ...input }: UpdateHealthGoalInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GoalPayload> {
    const id = goalNumber(goalId);
    await updateGoal(context, id, input);
    return readChanged(context, id, info);
  }

  @Access('verified')
  @Mutation(() => DeleteHealthGoalPayload, { nullable: true, description: 'Deletes a goal.' })
  async deleteHealthGoal(
    @InputArg(() => DeleteHealthGoalInput) { goalId }: DeleteHealthGoalInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await goals.delete(context, goalNumber(goalId));
    return { deletedId: goalId };
  }
}

const goalNumber = (id: string, field = 'goalId'): number => numberOfId('HealthGoal', id, field);

async function readChanged(context: Context, id: number, info: GraphQLResolveInfo): Promise<GoalPayload> {
  const goal = await goals.get(context, id, selectionBelow(info, 'goal'));
  return withSafety('goal', goal, () => noticeOfGoal(context, id));
}
