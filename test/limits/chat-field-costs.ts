import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import type { BulkWorld } from '../harness/bulk-world.ts';
import type { FieldCase } from './field-cost-table.ts';

/** Worst cases of chats, community groups and peers. */
export function chatFieldCases(world: BulkWorld): FieldCase[] {
  const own = (field: string, list: string, units: number): FieldCase => ({
    field,
    as: 'reader',
    document: `{ healthViewer { ${list} } }`,
    units,
  });
  const within = (field: string, type: string, uuid: string, list: string, units: number): FieldCase => ({
    field,
    as: 'reader',
    document: `{ node(id: "${encodeGlobalId(type, uuid)}") { ... on ${type} { ${list} } } }`,
    units,
  });
  const chat = 'id unreadCount lastMessage { text sender { fullName } }';
  const messages = 'messages(first: 100, search: "message") { nodes { id text } totalCount }';
  const people = '{ nodes { fullName profilePicture } totalCount }';
  return [
    own('Person.chats', `chats(first: 100, unreadOnly: true) { nodes { ${chat} } totalCount }`, 21),
    own('Person.privateChats', `privateChats(first: 100) { nodes { ${chat} peer { fullName } } totalCount }`, 11),
    own('Person.chatGroups', `chatGroups(first: 100) { nodes { ${chat} isAdmin } totalCount }`, 11),
    own('Person.contacts', 'contacts(first: 100, search: "peer") { nodes { person { fullName } } totalCount }', 6),
    own('Person.peers', 'peers(first: 100, search: "peer") { nodes { peer { fullName } } totalCount }', 26),
    own('Person.peerRequests', 'peerRequests(first: 100) { nodes { peer { fullName } } totalCount }', 4),
    own('Person.peerSuggestions', 'peerSuggestions(limit: 50) { score person { fullName } }', 101),
    within('PrivateChat.messages', 'PrivateChat', world.privateChat, messages, 103),
    within('ChatGroup.messages', 'ChatGroup', world.chatGroup, messages, 103),
    within('ChatGroup.members', 'ChatGroup', world.chatGroup, `members(first: 100) ${people}`, 2),
    {
      field: 'CommunityGroup.members',
      as: 'reader',
      document: `{ communityGroups(first: 100) { nodes { members(first: 5) ${people} } } }`,
      units: 110,
    },
  ];
}
