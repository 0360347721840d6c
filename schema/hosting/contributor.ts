import { Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { User } from './account.ts';

@ObjectType({ description: 'Author of commits of a repository.', simpleResolvers: true })
export class Contributor {
  @Computed(() => Int, 'Number of commits.')
  contributions!: number;

  @Computed(() => User, 'Account; null of an author without one.', { null: true })
  user!: User | null;

  @Computed(() => String, 'Name in the newest commit; null of an author with an account.', { null: true })
  name!: string | null;

  @Computed(() => String, 'Email address; null of an author with an account.', { null: true })
  email!: string | null;
}

export const ContributorConnection = connectionOf('Contributor', () => Contributor, 'contributors');
