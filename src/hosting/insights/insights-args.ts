import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int } from 'type-graphql';
import {
  ApiActorType,
  ApiCallerSort,
  type ApiCallerSortName,
  ApiRouteSort,
  type ApiRouteSortName,
} from '../../../schema/hosting/api-insights.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';

@ArgsType()
export class OrganizationUsageArgs {
  @Field(() => DateTime, {
    nullable: true,
    description: 'Start of the time range, unless `days` says it. Its minute is counted as a whole.',
  })
  from?: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Length of the time range in days, 1 to 90, in place of `from`; 30 when both are absent.',
  })
  days?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'End of the time range, excluded; now when null.' })
  to?: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Days before now at which the range ends, without `to`; now where the range would be empty.',
  })
  endsDaysAgo?: number | null;

  @Field(() => ApiActorType, { nullable: true, description: 'Type of the actors to count; all when null.' })
  actorType?: ApiActorType | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Number of the actor to count; all when null.' })
  actorId?: number | null;

  @Field(() => String, { nullable: true, description: 'User to count, by number or login; all when null.' })
  user?: string | null;
}

const fieldsDescription = 'Fields to order by, most significant first; the number of requests if empty.';

@InputType({ description: 'Order of routes.' })
class ApiRouteOrder {
  @Field(() => [ApiRouteSort], { description: fieldsDescription })
  fields!: ApiRouteSortName[];
  @Field(() => OrderDirection, { description: 'Direction of the order.' }) direction!: OrderDirection;
}

@InputType({ description: 'Order of subjects and actors.' })
class ApiCallerOrder {
  @Field(() => [ApiCallerSort], { description: fieldsDescription })
  fields!: ApiCallerSortName[];
  @Field(() => OrderDirection, { description: 'Direction of the order.' }) direction!: OrderDirection;
}

@ArgsType()
class SubstringArgs extends ConnectionArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Text that the name or route must contain, case-insensitive; all when null.',
  })
  substring?: string | null;
}

const stepDescription = 'Length of a step, such as `5m`, `1h` and `1d`. Steps are aligned to UTC.';

@ArgsType()
export class SeriesArgs {
  @Field(() => String, { description: stepDescription })
  step!: string;

  @Field(() => Int, {
    defaultValue: 1_000,
    description: 'Maximum number of steps, up to 10,000; a range with more steps is an error.',
  })
  first!: number;
}

@ArgsType()
export class RouteSeriesArgs {
  @Field(() => String, { description: stepDescription })
  step!: string;

  @Field(() => Int, {
    defaultValue: 200,
    description: 'Maximum number of steps, up to 10,000; a range with more steps is an error.',
  })
  first!: number;
}

@ArgsType()
export class RouteArgs extends SubstringArgs {
  @Field(() => [ApiRouteOrder], { nullable: true, description: 'Order; by the number of requests when null.' })
  orderBy?: ApiRouteOrder[] | null;
}

@ArgsType()
export class CallerArgs extends SubstringArgs {
  @Field(() => [ApiCallerOrder], { nullable: true, description: 'Order; by the number of requests when null.' })
  orderBy?: ApiCallerOrder[] | null;
}
