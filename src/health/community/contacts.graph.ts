import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { PrivateChat } from '../../../schema/health/chat.ts';
import { Contact, ContactConnection } from '../../../schema/health/contact.ts';
import { PeerLink } from '../../../schema/health/peer-link.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { LongPageArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { findPrivateChats, type PrivateChatRow } from '../chat/chats.queries.ts';
import { searchField } from '../lists/argument-fields.ts';
import { type ContactRow, contacts } from './contacts.queries.ts';
import { findPeerLinks, type PeerLinkRow } from './peers.queries.ts';

@ArgsType()
class ContactsArgs extends LongPageArgs {
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

@Resolver(() => Contact)
export class ContactFields {
  @FieldResolver(() => PeerLink, { nullable: true, description: 'Link between you and the person.' })
  peerLink(
    @Root() { peerLinkDatabaseId }: ContactRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PeerLinkRow | null> {
    return context.load(findPeerLinks, selectionOf(info)).load(peerLinkDatabaseId);
  }

  @FieldResolver(() => PrivateChat, { nullable: true, description: 'Private chat with the person; null for none.' })
  chat(
    @Root() { chatUuid }: ContactRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PrivateChatRow | null> | null {
    return chatUuid === null ? null : context.load(findPrivateChats, selectionOf(info)).load(chatUuid);
  }
}
