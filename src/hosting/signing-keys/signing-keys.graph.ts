import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { SigningKey, SigningKeyKind } from '../../../schema/hosting/signing-key.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { addSigningKey, removeSigningKey, type SigningKeyRow } from './add-signing-key.ts';
import { signingKeysOf } from './signing-keys.queries.ts';

@Resolver()
export class SigningKeyRoots {
  @Access('signing-keys:write')
  @Mutation(() => SigningKey, { description: 'Adds a public key that verifies commit signatures of the caller.' })
  addSigningKey(
    @Arg('kind', () => SigningKeyKind, { description: 'Key type.' }) kind: 'ssh' | 'pgp',
    @Arg('title', () => String, { description: 'Display name.' }) title: string,
    @Arg('publicKey', () => String, {
      description: 'OpenSSH line or armored OpenPGP block, at most 65,536 characters.',
    })
    publicKey: string,
    @Ctx() context: Context,
  ): Promise<SigningKeyRow> {
    return addSigningKey(context, { kind, title, publicKey });
  }

  @Access('signing-keys:write')
  @Mutation(() => Boolean, { description: 'Revokes a signing key of the caller. Earlier verifications remain valid.' })
  async removeSigningKey(
    @Arg('id', () => GraphQLSafeInt, { description: 'Database id of the key.' }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeSigningKey(context, id);
    return true;
  }
}

@Resolver(() => User)
export class UserSigningKeys {
  @FieldResolver(() => [SigningKey], { description: 'Public signing keys of the user, oldest first.' })
  signingKeys(@Root() row: AccountRow, @Ctx() context: Context): Promise<SigningKeyRow[]> {
    return signingKeysOf(context, row.databaseId);
  }
}
