import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { GitObjectId, GitRefname } from '../vocabulary/git-scalars.ts';
import { optionalField } from '../vocabulary/optional-field.ts';
import { OrderDirection } from '../vocabulary/order-direction.ts';
import { RepositoryRef } from './repository-ref.ts';

@ObjectType({ description: 'Ref: a name that points to a git object, such as a branch or a tag.' })
export class Ref {
  @Computed(() => String, 'Name after the prefix: main.')
  name!: string;

  @Computed(() => String, 'Prefix of the name: refs/heads/.')
  prefix!: string;
}

export const RefConnection = connectionOf('Ref', () => Ref, 'refs');

/** Refs that begin with one text, in one answer. */
export const maxMatchingRefs = 10_000;

export const MatchingRefConnection = connectionOf('MatchingRef', () => Ref, 'refs', {
  edgesOf: RefConnection,
  maxPageSize: maxMatchingRefs,
});

export const RefOrderField = { ALPHABETICAL: 'ALPHABETICAL', TAG_COMMIT_DATE: 'TAG_COMMIT_DATE' } as const;
export type RefOrderFieldName = keyof typeof RefOrderField;
registerEnumType(RefOrderField, {
  name: 'RefOrderField',
  description: 'Property that refs are ordered by.',
  valuesConfig: {
    ALPHABETICAL: { description: 'Full name, in byte order.' },
    TAG_COMMIT_DATE: { description: 'Committer date of the commit; for an annotated tag, when it was stored.' },
  },
});

@InputType({ description: 'Order of refs.' })
export class RefOrder {
  @Field(() => RefOrderField, { description: 'Property that the refs are ordered by.' }) field!: RefOrderFieldName;
  @Field(() => OrderDirection, { description: 'Direction of the order of refs.' }) direction!: OrderDirection;
}

@InputType({ description: 'Author of commits: an account, email addresses, or both; a commit of any of them fits.' })
export class CommitAuthor {
  @optionalField(() => ID, 'Global id of a user: the published and the noreply address.')
  id?: string | null;
  @optionalField(() => [String], 'Email addresses, compared without regard to case.') emails?: string[] | null;
}

@InputType({ description: 'Ref by its repository and its name.' })
export class RefName {
  @Field(() => RepositoryRef, { description: 'Repository of the ref.' }) repository!: RepositoryRef;
  @Field(() => String, { description: 'Name below `refs/`, such as `heads/main`.' }) name!: string;
}

@InputType({ description: 'Change of a ref.' })
export class RefUpdate {
  @Field(() => GitRefname, { description: 'Full name: refs/heads/main.' }) name!: string;
  @Field(() => GitObjectId, { description: 'Object that the ref points to from now on; all zeros deletes it.' })
  afterOid!: string;
  @optionalField(() => GitObjectId, 'Id that it must point to before; all zeros if it must not exist.')
  beforeOid?: string | null;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Whether an update that is not a fast-forward is allowed.',
  })
  force?: boolean | null;
}

@InputType({ description: 'Branch to commit to: the global id of its ref, or the name of its repository and its own.' })
export class CommittableBranch {
  @optionalField(() => ID, 'Global id of the ref.') id?: string | null;
  @optionalField(() => String, 'Owner and name of the repository: `owner/name`.') repositoryNameWithOwner?:
    | string
    | null;
  @optionalField(() => String, 'Name of the branch; the default branch when absent.') branchName?: string | null;
}
