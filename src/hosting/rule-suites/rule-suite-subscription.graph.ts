import { Arg, Ctx, ID, Resolver, Root, Subscription } from 'type-graphql';
import { RuleSuite } from '../../../schema/hosting/rule-suite.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { subscribeToRuleSuites } from './rule-suite-subscription.ts';
import type { RuleSuiteRow } from './rule-suites.queries.ts';

@Resolver()
export class RuleSuiteSubscriptions {
  @Access('administration:write')
  @Subscription(() => RuleSuite, {
    nullable: true,
    subscribe: ({ args, context }) =>
      subscribeToRuleSuites(context as Context, numberOfId('Repository', String(args.repositoryId), 'repositoryId')),
    description: 'New rule suites of a repository, in the order in which they are stored. Ends when you lose access.',
  })
  ruleSuiteAdded(
    @Root() suite: RuleSuiteRow,
    @Arg('repositoryId', () => ID, { description: 'Repository of the rule suites, by its global id.' })
    _repositoryId: string,
    @Ctx() context: Context,
  ): RuleSuiteRow {
    // Else the context would keep what it loaded for all earlier events.
    context.beginEvent();
    return suite;
  }
}
