import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { Browser } from '../../harness/browser.ts';
import type { TestGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { type Meeting, password, say } from './pair-of-people.ts';
import type { DeedName, Door } from './people-rules.ts';

/** What callers were answered, by door, before a deed changed anything. */
type Heard = Record<'rest' | 'graph' | 'page', string[]>;

/** How a deed is tried at each of its doors: resolves to whether it was granted. */
type Attempts = Record<DeedName, Partial<Record<Door, (meeting: Meeting, heard: Heard) => Promise<boolean>>>>;

const pages = ['', '/goals', '/symptoms', '/vitals', '/assessments', '/privacy', '/data'].map(page => `/health${page}`);

/** What `me` hears by reading, and how each deed is tried, in the order in which they do not disturb each other. */
export function attemptsAt(gateway: TestGateway) {
  const rest = ({ me }: Meeting, method: string, path: string, body?: object) =>
    send(gateway, method, path, body, me.access === '' ? undefined : me.access);

  async function graph({ me }: Meeting, query: string, variables: Record<string, unknown> = {}) {
    const { json, text } = await gateway.request('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(me.access === '' ? {} : { authorization: `Bearer ${me.access}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    return { data: json.data, text, isGranted: json.errors === undefined };
  }

  const person = ({ other }: Meeting): string => encodeGlobalId('Person', other.id);
  const names = ({ other }: Meeting, text: string): boolean =>
    text.includes(other.firstName) || text.includes(other.lastName);

  /** Reads by REST, and whether what was found tells of the other. */
  const reads =
    (path: (meeting: Meeting) => string, tells: (meeting: Meeting, text: string) => boolean = names) =>
    async (meeting: Meeting, heard: Heard): Promise<boolean> => {
      const { status, text } = await rest(meeting, 'GET', path(meeting));
      heard.rest.push(text);
      return status === 200 && tells(meeting, text);
    };
  const queries =
    (
      query: string,
      variables: (meeting: Meeting) => Record<string, unknown> = () => ({}),
      tells: (meeting: Meeting, text: string) => boolean = names,
    ) =>
    async (meeting: Meeting, heard: Heard): Promise<boolean> => {
      const { text } = await graph(meeting, query, variables(meeting));
      heard.graph.push(text);
      return tells(meeting, text);
    };

  /** Does something by REST. A refusal names nobody. */
  const does =
    (method: string, path: (meeting: Meeting) => string, body: (meeting: Meeting) => object = () => ({})) =>
    async (meeting: Meeting): Promise<boolean> => {
      await meeting.restore();
      const { status, text } = await rest(meeting, method, path(meeting), body(meeting));
      if (status < 300) return true;
      if (![400, 401, 403, 404].includes(status)) throw new Error(`${method} ${path(meeting)}: ${status} ${text}`);
      if (names(meeting, text)) throw new Error(`A refusal names the other: ${text}`);
      return false;
    };
  const mutates =
    (mutation: string, input: (meeting: Meeting) => object) =>
    async (meeting: Meeting): Promise<boolean> => {
      await meeting.restore();
      const [name = ''] = /^\w+/.exec(mutation) ?? [];
      const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
      const document = `mutation ($input: ${type}!) { ${name}(input: $input) ${mutation.slice(name.length)} }`;
      const { isGranted, text } = await graph(meeting, document, { input: input(meeting) });
      if (!isGranted && names(meeting, text)) throw new Error(`A refusal names the other: ${text}`);
      return isGranted;
    };
  /** All or none of several ways to do the same. */
  const alike =
    (...ways: ((meeting: Meeting, heard: Heard) => Promise<boolean>)[]) =>
    async (meeting: Meeting, heard: Heard): Promise<boolean> => {
      const granted: boolean[] = [];
      for (const way of ways) granted.push(await way(meeting, heard));
      if (new Set(granted).size > 1) throw new Error(`Ways of one deed differ: ${granted}`);
      return granted[0] === true;
    };

  /** One connection for each caller: a person may have ten. */
  const clients = new Map<string, Client>();
  afterAll(async () => {
    for (const client of clients.values()) await client.dispose();
  });
  function clientOf(access: string): Client {
    const client =
      clients.get(access) ??
      createClient({
        url: `${gateway.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        ...(access === '' ? {} : { connectionParams: { Authorization: `Bearer ${access}` } }),
      });
    clients.set(access, client);
    return client;
  }

  /** Subscribes, and repeats `cause` until an event or the refusal comes. */
  const hears =
    (
      field: string,
      id: (meeting: Meeting) => string,
      cause: (meeting: Meeting) => Promise<unknown>,
      tells: (meeting: Meeting, text: string) => boolean = () => true,
    ) =>
    async (meeting: Meeting): Promise<boolean> => {
      const query = `subscription ($id: ID!) { ${field} }`;
      const events = clientOf(meeting.me.access).iterate({ query, variables: { id: id(meeting) } });
      let outcome: boolean | undefined;
      const first = events.next().then(
        ({ value }) => value?.data !== undefined && value.data !== null && tells(meeting, JSON.stringify(value)),
        () => false,
      );
      void first.then(found => {
        outcome = found;
      });
      while (outcome === undefined) {
        await cause(meeting);
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      await events.return?.();
      return first;
    };

  const privateChat = ({ chat }: Meeting): string => encodeGlobalId('PrivateChat', chat);
  const group = (one: Meeting): string => encodeGlobalId('ChatGroup', one.group);
  const letter = (meeting: Meeting) =>
    say(gateway, { kind: 'chat', id: meeting.chat }, meeting.other.id, `letter of ${meeting.other.firstName}`);
  /** A word of the other in the group; of a member where the other is none. */
  const word = async ({ relation, me, other, group: id }: Meeting): Promise<void> => {
    if (relation !== 'stranger') await say(gateway, { kind: 'group', id }, other.id, `word of ${other.firstName}`);
    else if (me.id !== 0) await say(gateway, { kind: 'group', id }, me.id, 'word of nobody else');
  };
  const hasLetter = ({ other }: Meeting, text: string): boolean => text.includes(`letter of ${other.firstName}`);
  const hasWord = ({ other }: Meeting, text: string): boolean => text.includes(`word of ${other.firstName}`);

  const remark = ({ comment }: Meeting, text: string): boolean => text.includes(comment.text);
  const comments = ({ article, comment }: Meeting): string =>
    `/articles/${article}/comments/?search=${encodeURIComponent(comment.text)}`;
  const commentQuery = `query ($id: ID!, $search: String) { node(id: $id) { ... on Article {
    comments(search: $search, first: 5) { nodes { text author { personId fullName profilePicture } } } } } }`;
  const commentVariables = ({ article, comment }: Meeting) => ({
    id: encodeGlobalId('Article', article),
    search: comment.text,
  });

  /** The browser of each caller, and its own pages: they are the same whomever it meets. */
  const browsers = new Map<string, Promise<{ browser: Browser; own: string[] }>>();
  async function openBrowser(email: string): Promise<{ browser: Browser; own: string[] }> {
    const browser = new Browser(gateway);
    if (email !== '') await browser.signInToHealth(email, password);
    const own: string[] = [];
    for (const path of pages) own.push((await browser.open(path)).text);
    return { browser, own };
  }
  const openPages = async (meeting: Meeting, heard: Heard): Promise<boolean> => {
    const { email } = meeting.me;
    const opened = browsers.get(email) ?? openBrowser(email);
    browsers.set(email, opened);
    const { browser, own } = await opened;
    heard.page.push(...own, (await browser.open(`/health/people/${meeting.other.id}`)).text);
    return names(meeting, heard.page.join());
  };

  const attempts: Attempts = {
    suggest: {
      rest: reads(
        () => '/community/peers/suggested/?limit=50',
        (meeting, text) => {
          const found = JSON.parse(text).find(
            ({ user }: { user: { id: number; age_band: string | null } }) => user.id === meeting.other.id,
          );
          if (found && !/^(\d\d-\d\d|under 18)$/.test(found.user.age_band)) throw new Error(`No band of ages: ${text}`);
          return found !== undefined;
        },
      ),
      graph: queries('{ healthViewer { peerSuggestions(limit: 50) { person { fullName ageBand } reason } } }'),
    },
    find: {
      rest: reads(() => '/chat/users/'),
      graph: queries('{ healthViewer { contacts(first: 100) { nodes { person { fullName } maskedEmail } } } }'),
    },
    conditions: {
      graph: queries(
        `{ healthViewer { peers(first: 100) { nodes { sharedConditions peer { fullName } } }
          pending: peers(status: PENDING, first: 100) { nodes { sharedConditions peer { fullName } } }
          blocked: peers(status: BLOCKED, first: 100) { nodes { sharedConditions peer { fullName } } }
          declined: peers(status: DECLINED, first: 100) { nodes { sharedConditions peer { fullName } } }
          peerRequests(first: 100) { nodes { sharedConditions requester { fullName } } } } }`,
        undefined,
        ({ other }, text) => text.includes(other.peerCondition),
      ),
    },
    read: {
      rest: alike(
        reads(one => `/chat/private/${one.chat}/messages/`, hasLetter),
        reads(() => '/chat/private/', hasLetter),
      ),
      graph: queries(
        `query ($id: ID!) { node(id: $id) { ... on PrivateChat { peer { fullName } messages(first: 20) { nodes { text sender { fullName } } } } } }`,
        one => ({ id: privateChat(one) }),
        hasLetter,
      ),
      subscription: alike(
        hears('chatMessageAdded(chatId: $id) { text }', privateChat, letter, hasLetter),
        hears('chatRead(chatId: $id) { unreadCount }', privateChat, async one => {
          await letter(one);
          await graph(one, 'mutation ($id: ID!) { markChatRead(input: { chatId: $id }) { chat { id } } }', {
            id: privateChat(one),
          });
        }),
      ),
    },
    'read in group': {
      rest: reads(one => `/chat/groups/${one.group}/messages/?page_size=100`, hasWord),
      graph: queries(
        `query ($id: ID!) { node(id: $id) { ... on ChatGroup { lastMessage { text senderName }
          messages(first: 100) { nodes { text senderName sender { fullName } } } } } }`,
        one => ({ id: group(one) }),
        hasWord,
      ),
      subscription: hears('chatMessageAdded(chatId: $id) { text }', group, word, hasWord),
    },
    'see in group': {
      rest: reads(
        () => '/chat/groups/',
        (one, text) => {
          const groups = JSON.parse(text) as { id: string; participants: { id: number }[] }[];
          const participants = groups.find(({ id }) => id === one.group)?.participants ?? [];
          return participants.some(({ id }) => id === one.other.id);
        },
      ),
      graph: queries(
        `query ($id: ID!) { node(id: $id) { ... on ChatGroup { members(first: 50) { nodes { personId fullName maskedEmail } } } } }`,
        one => ({ id: group(one) }),
        (one, text) => text.includes(person(one)),
      ),
    },
    comment: {
      rest: reads(comments, remark),
      graph: queries(commentQuery, commentVariables, remark),
    },
    author: {
      rest: reads(comments),
      graph: queries(commentQuery, commentVariables),
    },
    page: {
      graph: queries('query ($id: ID!) { node(id: $id) { ... on Person { fullName } } }', one => ({ id: person(one) })),
      page: openPages,
    },
    // All that was read so far.
    surname: {
      rest: async ({ other }, heard) => heard.rest.some(text => text.includes(other.lastName)),
      graph: async ({ other }, heard) => heard.graph.some(text => text.includes(other.lastName)),
    },
    secrets: {
      rest: async ({ other }, heard) => other.secrets.some(secret => heard.rest.some(text => text.includes(secret))),
      graph: async ({ other }, heard) => other.secrets.some(secret => heard.graph.some(text => text.includes(secret))),
      page: async ({ me, other }, heard) =>
        // The own date of birth can be the same one.
        other.secrets.some(secret => !me.secrets.includes(secret) && heard.page.some(text => text.includes(secret))),
    },
    reports: {
      graph: async meeting => {
        const { data } = await graph(meeting, '{ reports(first: 100) { nodes { text accused { personId } } } }');
        return JSON.stringify(data ?? null).includes(meeting.comment.text);
      },
    },
    'held age': {
      graph: async meeting => {
        const { data } = await graph(meeting, '{ heldAges { bornOn person { personId } } }');
        return JSON.stringify(data ?? null).includes(person(meeting));
      },
    },
    ask: {
      rest: does(
        'POST',
        () => '/community/peers/connect/',
        ({ other }) => ({ receiver_id: other.id }),
      ),
      graph: mutates('requestPeer { peerLink { status peer { fullName } } }', one => ({ personId: person(one) })),
    },
    accept: {
      rest: does(
        'PATCH',
        one => `/community/peers/${one.link() ?? 999_999_999}/`,
        () => ({ status: 'accepted' }),
      ),
      graph: mutates('answerPeerRequest { peerLink { status } }', one => ({
        peerLinkId: encodeGlobalId('PeerLink', one.link() ?? 999_999_999),
        answer: 'ACCEPTED',
      })),
    },
    block: {
      graph: mutates('blockPeer { peerLink { status } }', one => ({ personId: person(one) })),
    },
    open: {
      rest: does(
        'POST',
        () => '/chat/private/',
        ({ other }) => ({ user_id: other.id }),
      ),
      graph: mutates('startPrivateChat { chat { id } }', one => ({ personId: person(one) })),
    },
    write: {
      rest: alike(
        does(
          'POST',
          () => '/chat/messages/',
          ({ other }) => ({ receiver_id: other.id, content: 'x' }),
        ),
        does(
          'POST',
          () => '/chat/messages/',
          ({ chat }) => ({ chat_id: chat, content: 'x' }),
        ),
      ),
      graph: alike(
        mutates('sendChatMessage { message { id } }', one => ({ personId: person(one), text: 'x' })),
        mutates('sendChatMessage { message { id } }', one => ({ chatId: privateChat(one), text: 'x' })),
      ),
    },
    'add to group': {
      rest: does(
        'POST',
        () => '/chat/groups/',
        ({ other }) => ({ name: 'Two', participant_ids: [other.id] }),
      ),
      graph: alike(
        mutates('createChatGroup { chatGroup { id } }', one => ({ name: 'Two', participantIds: [person(one)] })),
        mutates('inviteToGroup { groupEntry { id } }', one => ({
          groupId: encodeGlobalId('ChatGroup', one.ownGroup),
          personId: person(one),
        })),
      ),
    },
    'write in group': {
      rest: does(
        'POST',
        () => '/chat/messages/',
        one => ({ group_id: one.group, content: 'x' }),
      ),
      graph: mutates('sendChatMessage { message { id } }', one => ({ chatGroupId: group(one), text: 'x' })),
    },
    join: {
      rest: does('POST', one => `/chat/groups/${one.otherGroup}/join/`),
      graph: mutates('joinChatGroup { standing { isMember } }', one => ({
        chatGroupId: encodeGlobalId('ChatGroup', one.otherGroup),
      })),
    },
    reply: {
      rest: does(
        'POST',
        ({ article }) => `/articles/${article}/comments/`,
        ({ comment }) => ({ text: `reply ${randomUUID()}`, parent: comment.id }),
      ),
      graph: mutates('addArticleComment { comment { id } }', ({ article, comment }) => ({
        articleId: encodeGlobalId('Article', article),
        parentId: encodeGlobalId('ArticleComment', comment.id),
        text: `reply ${randomUUID()}`,
      })),
    },
  };
  return attempts;
}
