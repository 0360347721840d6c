import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { SigningKey, SigningKeyKind } from '../../../schema/hosting/signing-key.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { addSigningKey, removeSigningKey, type SigningKeyRow } from './add-signing-key.ts';
import { signingKeysOf } from './signing-keys.queries.ts';

@Resolver()
export class SigningKeyRoots {
  @Access('signing-keys:write')
  @Mutation(() => SigningKey, { description: 'Adds a public key with which the caller signs commits.' })
  addSigningKey(
    @Arg('kind', () => SigningKeyKind, { description: 'SSH or PGP.' }) kind: 'ssh' | 'pgp',
    @Arg('title', () => String, { description: 'What the caller calls it.' }) title: string,
    @Arg('publicKey', () => String, { description: 'A line of OpenSSH, or an armored PGP block.' }) publicKey: string,
    @Ctx() context: Context,
  ): Promise<SigningKeyRow> {
    return addSigningKey(context, { kind, title, publicKey });
  }

  @Access('signing-keys:write')
  @Mutation(() => Boolean, { description: 'Takes a key of the caller away. What it verified stays verified.' })
  async removeSigningKey(
    @Arg('id', () => GraphQLSafeInt, { description: 'Number of the key.' }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeSigningKey(context, id);
    return true;
  }
}

@Resolver(() => Account)
export class AccountSigningKeys {
  @FieldResolver(() => [SigningKey], { description: 'The keys it signs with, oldest first. They are public.' })
  signingKeys(@Root() row: AccountRow, @Ctx() context: Context): Promise<SigningKeyRow[]> {
    return signingKeysOf(context, row.databaseId);
  }
}
