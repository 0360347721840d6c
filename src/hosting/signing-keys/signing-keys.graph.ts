import { Args, Ctx, Field, FieldResolver, ID, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { SigningKey, SigningKeyConnection, SigningKeyKind } from '../../../schema/hosting/signing-key.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { addSigningKey, removeSigningKey, type SigningKeyRow } from './add-signing-key.ts';
import { signingKeysOf } from './signing-keys.queries.ts';

@InputType({ description: 'Input of `addSigningKey`.' })
class AddSigningKeyInput {
  @Field(() => SigningKeyKind, { description: 'Kind of the key.' }) kind!: SigningKeyKind;
  @Field(() => String, { description: 'Title of the key; `Key` when it is empty.' }) title!: string;
  @Field(() => String, { description: 'OpenSSH line or armored OpenPGP block, at most 65,536 characters.' })
  publicKey!: string;
}

@InputType({ description: 'Input of `removeSigningKey`.' })
class RemoveSigningKeyInput {
  @Field(() => ID, { description: 'Key to revoke.' }) signingKeyId!: string;
}

const AddSigningKeyPayload = payloadOf('addSigningKey', {
  signingKey: [() => SigningKey, 'Key that verifies your signatures from now on.'],
});
const RemoveSigningKeyPayload = payloadOf('removeSigningKey', {
  deletedId: [() => ID, 'Global id of the revoked key.'],
});

@Resolver()
export class SigningKeyRoots {
  @Access('signing-keys:write')
  @Mutation(() => AddSigningKeyPayload, {
    nullable: true,
    description: 'Adds a public key that verifies your signatures on commits.',
  })
  async addSigningKey(
    @InputArg(() => AddSigningKeyInput) input: AddSigningKeyInput,
    @Ctx() context: Context,
  ): Promise<{ signingKey: SigningKeyRow }> {
    return { signingKey: await addSigningKey(context, input) };
  }

  @Access('signing-keys:write')
  @Mutation(() => RemoveSigningKeyPayload, {
    nullable: true,
    description: 'Revokes a signing key of yours. Earlier verifications remain valid.',
  })
  async removeSigningKey(
    @InputArg(() => RemoveSigningKeyInput) { signingKeyId }: RemoveSigningKeyInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await removeSigningKey(context, numberOfId('SigningKey', signingKeyId, 'signingKeyId'));
    return { deletedId: signingKeyId };
  }
}

@Resolver(() => User)
export class UserSigningKeys {
  @FieldResolver(() => SigningKeyConnection, { description: 'Public signing keys of the user, oldest first.' })
  signingKeys(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<SigningKeyRow> {
    const list = batchedList(context, 'User.signingKeys', {}, databaseId, signingKeysOf(context));
    return new Connection(SigningKeyConnection, list, args);
  }
}
