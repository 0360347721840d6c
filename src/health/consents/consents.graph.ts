import { Ctx, FieldResolver, Resolver } from 'type-graphql';
import { ConsentRecord } from '../../../schema/health/consent.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { consentsOf } from './consents.ts';

/** As many objects as a query may ask of 100 people. */
const maxListed = 200;

@Resolver(() => Person)
export class PersonConsents {
  @Access('account')
  @Cost(2)
  @ListSize(maxListed)
  @FieldResolver(() => [ConsentRecord], {
    nullable: true,
    description: `Decisions of yours about purposes, the latest first; at most ${maxListed}. \`dataExport\` has all.`,
  })
  consents(@Ctx() context: Context): Promise<ConsentRecord[]> {
    return consentsOf(context.read, requirePerson(context.actor).userId, maxListed);
  }
}
