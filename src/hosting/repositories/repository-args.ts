import { ArgsType, Field } from 'type-graphql';

/** Arguments of fields that address a repository by name; assignable to `RepositoryAddress`. */
@ArgsType()
export class RepositoryArgs {
  @Field(() => String, { description: 'Login of the owner.' }) owner!: string;
  @Field(() => String, { description: 'Name of the repository, case-insensitive.' }) name!: string;
}
