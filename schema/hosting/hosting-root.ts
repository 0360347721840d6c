import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

@ObjectType({
  description: 'Where the code hosting REST API begins. Each is null while nothing is served there.',
  simpleResolvers: true,
})
export class HostingRoot {
  @Computed(() => String, 'The account that is asking.', { null: true })
  currentUser!: string | null;

  @Computed(() => String, 'Public events.', { null: true })
  events!: string | null;

  @Computed(() => String, 'An organization.', { null: true })
  organization!: string | null;

  @Computed(() => String, 'What is left of the limits of the caller.', { null: true })
  rateLimit!: string | null;

  @Computed(() => String, 'A repository.', { null: true })
  repository!: string | null;

  @Computed(() => String, 'A user.', { null: true })
  user!: string | null;
}
