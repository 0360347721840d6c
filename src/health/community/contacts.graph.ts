import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { PrivateChat } from '../../../schema/health/chat.ts';
import { Contact, ContactConnection } from '../../../schema/health/contact.ts';
import { PeerLink } from '../../../schema/health/peer-link.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { findPrivateChats, maxListed, type PrivateChatRow } from '../chat/chats.queries.ts';
import { searchField } from '../lists/argument-fields.ts';
import { type ContactRow, contacts } from './contacts.queries.ts';
import { findPeerLinks, type PeerLinkRow } from './peers.queries.ts';

@ArgsType()
class ContactsArgs extends ConnectionArgs {
  @searchField('the name') search?: string | null;
}

@Resolver(() => Person)
export class PersonContacts {
  @Access('verified')
  @Cost(5)
  @FieldResolver(() => ContactConnection, {
    nullable: true,
    description: 'People that you are connected with and can write to, by name.',
  })
  contacts(@Args(() => ContactsArgs) args: ContactsArgs, @Ctx() context: Context): Connection<ContactRow> {
    return new Connection(ContactConnection, contacts(context, args.search), args);
  }
}

/** The list that the REST contract does not page. */
@Resolver()
export class ContactRoots {
  @RestOnly()
  @Access('verified')
  @Cost(5)
  @Query(() => [Contact], { description: 'People connected with the caller, by name; at most 500.' })
  contacts(
    @Arg('search', () => String, { nullable: true, description: 'Words that must all occur in the name; at most 20.' })
    search: string | null | undefined,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ContactRow[]> {
    return contacts(context, search).rows({ limit: maxListed, offset: 0, wanted: selectionOf(info) });
  }
}

@Resolver(() => Contact)
export class ContactFields {
  @FieldResolver(() => PeerLink, { nullable: true, description: 'Link between you and the person.' })
  peerLink(
    @Root() { peerLinkId }: ContactRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PeerLinkRow | null> {
    return context.load(findPeerLinks, selectionOf(info)).load(peerLinkId);
  }

  @FieldResolver(() => PrivateChat, { nullable: true, description: 'Private chat with the person; null for none.' })
  chat(
    @Root() { chatId }: ContactRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PrivateChatRow | null> | null {
    return chatId === null ? null : context.load(findPrivateChats, selectionOf(info)).load(chatId);
  }
}
