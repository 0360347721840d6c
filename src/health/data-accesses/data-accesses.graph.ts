import { Args, Ctx, FieldResolver, Resolver } from 'type-graphql';
import { DataAccessConnection } from '../../../schema/health/data-access.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { type DataAccessRow, dataAccesses } from './data-accesses.queries.ts';

@Resolver(() => Person)
export class PersonDataAccesses {
  @Access('account')
  @FieldResolver(() => DataAccessConnection, {
    nullable: true,
    description:
      'Reads of your data by moderators and operators, the newest first. They are kept for 365 days, and those for moderation are shown 30 days later.',
  })
  dataAccesses(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context): Connection<DataAccessRow> {
    return new Connection(DataAccessConnection, dataAccesses(context), args);
  }
}
