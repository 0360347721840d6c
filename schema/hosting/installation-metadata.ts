import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

@ObjectType('GitHubMetadata', {
  description: 'Facts about this installation of the code hosting product.',
  simpleResolvers: true,
})
export class InstallationMetadata {
  @Computed(() => Boolean, 'Whether passwords are accepted. Always false: callers have tokens.')
  isPasswordAuthenticationVerifiable!: boolean;

  @Computed(() => [String], 'Versions of the API below `/api/v3`, newest first.')
  apiVersions!: readonly string[];
}
