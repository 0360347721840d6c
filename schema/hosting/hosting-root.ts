import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

@ObjectType({
  description: 'URL templates of the code hosting REST API. Each is null where it is not served.',
  simpleResolvers: true,
})
export class HostingRoot {
  @Computed(() => String, 'URL of the calling user.', { null: true })
  currentUser!: string | null;

  @Computed(() => String, 'URL of public events.', { null: true })
  events!: string | null;

  @Computed(() => String, 'URL template of an organization.', { null: true })
  organization!: string | null;

  @Computed(() => String, "URL of the caller's rate limits.", { null: true })
  rateLimit!: string | null;

  @Computed(() => String, 'URL template of a repository.', { null: true })
  repository!: string | null;

  @Computed(() => String, 'URL template of a user.', { null: true })
  user!: string | null;
}

@ObjectType('GitHubMetadata', {
  description: 'Facts about this installation of the code hosting product.',
  simpleResolvers: true,
})
export class InstallationMetadata {
  @Computed(() => Boolean, 'Whether passwords are accepted. Always false: callers have tokens.')
  isPasswordAuthenticationVerifiable!: boolean;
}
