import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { GitSignatureState, type GitSignatureStateName } from './git-signature.ts';

@ObjectType({
  description: 'Verification of the signature of a commit. A valid result is permanent.',
  simpleResolvers: true,
})
export class CommitVerification {
  @Computed(() => Boolean, 'Whether the signature is valid.')
  isValid!: boolean;

  @Computed(() => GitSignatureState, 'Outcome of the verification.')
  state!: GitSignatureStateName;

  @Computed(() => String, 'Signature in the commit; null for none.', { null: true })
  signature!: string | null;

  @Computed(() => String, 'Signed payload, that is the commit without the signature; null for none.', {
    null: true,
  })
  payload!: string | null;

  @Computed(() => DateTime, 'Time of the first valid verification; null for none.', { null: true })
  verifiedAt!: string | null;
}

@InputType({ description: 'Author of a commit or tag.' })
export class GitPersonInput {
  @Field(() => String, { description: 'Name of the person.' })
  name!: string;

  @Field(() => String, { description: 'E-mail address of the person.' })
  email!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Time in ISO 8601 with a zone, which is kept; the current time by default.',
  })
  date?: string | null;
}

@InputType({ description: 'Committer; omitted fields are those of the author.' })
export class GitCommitterInput {
  @Field(() => String, { nullable: true, description: 'Name of the committer.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'E-mail address of the committer.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Time in ISO 8601 with a zone, which is kept.' })
  date?: string | null;
}

/** Modes of entries other than trees, which exist through their entries only. */
export const GitFileMode = {
  FILE: '100644',
  EXECUTABLE: '100755',
  SYMLINK: '120000',
  SUBMODULE: '160000',
} as const;
export type GitFileModeValue = (typeof GitFileMode)[keyof typeof GitFileMode];
registerEnumType(GitFileMode, { name: 'GitFileMode', description: 'Mode of a tree entry.' });

export const GitTextEncoding = { UTF8: 'utf-8', BASE64: 'base64' } as const;
export type GitTextEncodingValue = (typeof GitTextEncoding)[keyof typeof GitTextEncoding];
registerEnumType(GitTextEncoding, {
  name: 'GitTextEncoding',
  description: 'Text encoding of the bytes of a file.',
});
