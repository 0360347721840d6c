import { Arg, ArgsType, Field } from 'type-graphql';

const ownerText = { description: 'Login of the owner.' };
const nameText = { description: 'Name of the repository.' };

/** The argument `owner` of a field about one repository. */
export const OwnerArg = () => Arg('owner', () => String, ownerText);

/** The argument `name` of a field about one repository. */
export const RepositoryNameArg = () => Arg('name', () => String, nameText);

/** Both, for a field whose arguments are a class. */
@ArgsType()
export class RepositoryArgs {
  @Field(() => String, ownerText) owner!: string;
  @Field(() => String, nameText) name!: string;
}
