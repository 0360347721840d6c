import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { sql } from 'kysely';
import { WebSocket } from 'ws';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { type TestGateway, testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const beside = await testGateway({ beside: gateway });
const narrow = await testGateway({
  beside: gateway,
  settings: { MAX_WEBSOCKETS: '1', CORS_ORIGINS: 'https://app.example' },
});
const leaving = await testGateway({ beside: gateway });
const [ada, ben, cleo] = (await createVisibleAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
await connect(gateway, ada, ben);

const clients: Client[] = [];
afterAll(async () => {
  for (const client of clients) await client.dispose();
});

const call = (method: string, path: string, who: TestAccount, body?: unknown, at = gateway) =>
  send(at, method, path, body, who.access);
const write = (who: TestAccount, body: object, at = gateway) => call('POST', '/chat/messages/', who, body, at);
const chat = (await call('GET', '/chat/private/', ada)).json[0].id as string;

async function newGroup(...members: TestAccount[]): Promise<string> {
  const { id } = (await call('POST', '/chat/groups/', ada, { name: 'Live' })).json;
  for (const who of members) await call('POST', `/chat/groups/${id}/join/`, who);
  return id;
}

function clientOf(at: TestGateway, access: string | undefined): Client {
  const client = createClient({
    url: `${at.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(access === undefined ? {} : { connectionParams: { Authorization: `Bearer ${access}` } }),
  });
  clients.push(client);
  return client;
}

interface Added {
  id: string;
  text: string;
  sender: { fullName: string };
  isMine: boolean;
}

/** Messages received by one subscription. Every wait has a timeout. */
class Listening {
  readonly messages: Added[] = [];
  failure: { extensions?: { code?: string }; message?: string }[] | undefined;
  ended = false;
  stop: () => void = () => {};
  #changed: (() => void)[] = [];

  until(what: () => boolean, name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`Waited for ${name}; there is ${JSON.stringify(this)}`)), 10_000);
      const look = (): void => {
        if (!what()) return;
        clearTimeout(timer);
        resolve();
      };
      this.#changed.push(look);
      look();
    });
  }

  count(number: number): Promise<void> {
    return this.until(() => this.messages.length >= number, `${number} messages`);
  }

  change(): void {
    for (const look of this.#changed) look();
  }
}

const document = `subscription ($chatId: ID!) {
  chatMessageAdded(chatId: $chatId) { id text sender { fullName } isMine }
}`;

const privateChat = (uuid: string) => ({ chatId: encodeGlobalId('PrivateChat', uuid) });
const groupChat = (uuid: string) => ({ chatId: encodeGlobalId('ChatGroup', uuid) });

function listen(client: Client, variables: Record<string, unknown>, query = document): Listening {
  const listening = new Listening();
  listening.stop = client.subscribe<{ chatMessageAdded: Added }>(
    { query, variables },
    {
      next: ({ data, errors }) => {
        if (data) listening.messages.push(data.chatMessageAdded);
        if (errors) listening.failure = errors as never;
        listening.change();
      },
      error: error => {
        listening.failure = Array.isArray(error) ? error : [error as never];
        listening.change();
      },
      complete: () => {
        listening.ended = true;
        listening.change();
      },
    },
  );
  return listening;
}

/**
 * Subscribes, and resolves when the server listens. The protocol has no acknowledgement, so marker messages are sent
 * until one arrives; `texts` omits them.
 */
async function started(listening: Listening, place: object, writer: TestAccount): Promise<Listening> {
  for (let tries = 0; tries < 30 && listening.messages.length === 0; tries++) {
    if (listening.failure) throw new Error(JSON.stringify(listening.failure));
    await write(writer, { ...place, content: 'mark' });
    await Promise.race([listening.count(1), new Promise(resolve => setTimeout(resolve, 300))]);
  }
  await listening.count(1);
  return listening;
}

const texts = (listening: Listening): string[] =>
  listening.messages.map(one => one.text).filter(text => text !== 'mark');

describe('a subscription', () => {
  test('delivers every message of its conversation only, in order, as its viewer sees it', async () => {
    const group = await newGroup(ben);
    const listening = await started(listen(clientOf(gateway, ada.access), privateChat(chat)), { chat_id: chat }, ben);
    await write(ada, { group_id: group, content: 'elsewhere' });
    for (let at = 0; at < 5; at++) await write(at % 2 ? ada : ben, { chat_id: chat, content: `number ${at}` });
    await listening.until(() => texts(listening).length >= 5, 'five messages');
    expect(texts(listening)).toEqual(['number 0', 'number 1', 'number 2', 'number 3', 'number 4']);
    expect(listening.messages.at(-1)).toMatchObject({ sender: { fullName: ben.name }, isMine: false });
    expect(listening.messages.at(-2)).toMatchObject({ sender: { fullName: ada.name }, isMine: true });
    listening.stop();
  });

  test('delivers messages sent through another gateway', async () => {
    const group = await newGroup(ben);
    const here = await started(listen(clientOf(gateway, ada.access), groupChat(group)), { group_id: group }, ben);
    const there = await started(listen(clientOf(beside, ben.access), groupChat(group)), { group_id: group }, ada);
    await write(ben, { group_id: group, content: 'from the second' }, beside);
    await write(ada, { group_id: group, content: 'from the first' }, gateway);
    for (const listening of [here, there]) {
      await listening.until(() => texts(listening).length === 2, 'two messages');
      expect(texts(listening)).toEqual(['from the second', 'from the first']);
    }
  });

  test('loses no message under concurrency or when the LISTEN connection drops', async () => {
    const group = await newGroup(ben);
    const listening = await started(listen(clientOf(gateway, ada.access), groupChat(group)), { group_id: group }, ben);
    const contents = Array.from({ length: 30 }, (_, at) => `burst ${at}`);
    await Promise.all(contents.slice(0, 15).map(content => write(ben, { group_id: group, content })));
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'portico-notices' and datname = current_database()`.execute(gateway.database.sql);
    await Promise.all(contents.slice(15).map(content => write(ben, { group_id: group, content })));
    await listening.until(() => texts(listening).length >= 30, 'thirty messages');
    expect(texts(listening).toSorted()).toEqual(contents.toSorted());
    const { json } = await call('GET', `/chat/groups/${group}/messages/?ordering=timestamp&page_size=100`, ada);
    const order = json.results
      .map((one: { content: string }) => one.content)
      .filter((content: string) => content !== 'mark');
    expect(texts(listening)).toEqual(order);
  });

  test('hides messages of blocked users', async () => {
    const [dora, emil] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    const id = await connect(gateway, dora, emil);
    const group = await newGroup(dora, emil);
    const listening = await started(listen(clientOf(gateway, dora.access), groupChat(group)), { group_id: group }, ada);
    await call('PATCH', `/community/peers/${id}/`, emil, { status: 'blocked' });
    await write(emil, { group_id: group, content: 'not for her' });
    await write(ada, { group_id: group, content: 'for all' });
    await listening.until(() => texts(listening).includes('for all'), 'the message of a third');
    expect(texts(listening)).toEqual(['', 'for all']);
    expect(listening.messages.find(one => one.text === '')?.sender.fullName).toBe('Blocked user');
  });
});

describe('a subscription ends', () => {
  test('when its user leaves the group', async () => {
    const group = await newGroup(ben);
    const listening = await started(listen(clientOf(gateway, ben.access), groupChat(group)), { group_id: group }, ada);
    await call('POST', `/chat/groups/${group}/leave/`, ben);
    await write(ada, { group_id: group, content: 'after' });
    await listening.until(() => listening.ended, 'the end');
    expect(texts(listening)).toEqual([]);
  });

  test('when either user blocks the other', async () => {
    const [dora, emil] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    const id = await connect(gateway, dora, emil);
    const { id: place } = (await call('GET', '/chat/private/', dora)).json[0];
    const listening = await started(
      listen(clientOf(gateway, dora.access), privateChat(place)),
      { chat_id: place },
      emil,
    );
    await call('PATCH', `/community/peers/${id}/`, emil, { status: 'blocked' });
    // Writing is refused now; a message inserted by another way does not arrive either.
    await sql`insert into chat_message (id, chat_id, author_id, content, sent_at)
      values (${randomUUID()}, ${place}, ${emil.id}, 'after', '2027-01-01')`.execute(gateway.database.sql);
    await sql`select pg_notify('portico_chat', ${`chat:${place}`})`.execute(gateway.database.sql);
    await listening.until(() => listening.ended, 'the end');
    expect(texts(listening)).toEqual([]);
  });

  test('when its user logs out', async () => {
    const [dora] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
    const group = await newGroup(dora);
    const listening = await started(listen(clientOf(gateway, dora.access), groupChat(group)), { group_id: group }, ada);
    await call('POST', '/auth/logout/', dora, { refresh: dora.refresh });
    await write(ada, { group_id: group, content: 'after' });
    await listening.until(() => listening.ended, 'the end');
    expect(texts(listening)).toEqual([]);
  });
});

describe('callers without access', () => {
  const codeOf = async (listening: Listening): Promise<string | undefined> => {
    await listening.until(() => listening.failure !== undefined, 'a failure');
    return listening.failure?.[0]?.extensions?.code;
  };

  test('are refused before a LISTEN', async () => {
    const group = await newGroup();
    const client = clientOf(gateway, cleo.access);
    expect(await codeOf(listen(client, privateChat(chat)))).toBe('NOT_FOUND');
    expect(await codeOf(listen(client, groupChat(group)))).toBe('FORBIDDEN');
    expect(await codeOf(listen(client, groupChat(randomUUID())))).toBe('NOT_FOUND');
    expect(await codeOf(listen(client, {}))).toBe('BAD_USER_INPUT');
    expect(await codeOf(listen(client, { chatId: encodeGlobalId('Person', 1) }))).toBe('BAD_USER_INPUT');
    expect(await codeOf(listen(client, { chatId: 'nonsense' }))).toBe('BAD_USER_INPUT');
  });

  test('include guests, by the access scope of the field', async () => {
    const { access } = (await send(gateway, 'POST', '/auth/guest/')).json;
    expect(await codeOf(listen(clientOf(gateway, access), privateChat(chat)))).toBe('FORBIDDEN');
  });

  test.each([
    ['without a token', undefined],
    ['with nonsense for a token', 'nonsense'],
  ])('is not let in %s', async (_, access) => {
    const listening = listen(clientOf(gateway, access), privateChat(chat));
    await listening.until(() => listening.failure !== undefined, 'a refusal');
    expect(listening.failure?.[0]).toMatchObject({ code: 4403 });
  });

  test('include other operations and too expensive ones', async () => {
    const client = clientOf(gateway, ada.access);
    const ask = (query: string) => codeOf(listen(client, {}, query));
    expect(await ask('{ articleCategories { name } }')).toBe('BAD_REQUEST');
    expect(await ask('mutation { openGuestHealthSession(input: {}) { accessToken } }')).toBe('BAD_REQUEST');
    expect(await ask('subscription { nothing }')).toBe('GRAPHQL_VALIDATION_FAILED');
    const aliases = Array.from({ length: 101 }, (_, at) => `a${at}: id`).join(' ');
    expect(await ask(`subscription { chatMessageAdded(chatId: "${chat}") { ${aliases} } }`)).toBe(
      'QUERY_TOO_MANY_ALIASES',
    );
    const long = listen(client, {}, `subscription { chatMessageAdded(chatId: "${chat}") { ${'id '.repeat(2100)} } }`);
    await long.until(() => long.failure !== undefined, 'a failure');
    expect(long.failure?.[0]?.message).toMatch(/2000 tokens/);
    const fine = await started(listen(client, privateChat(chat)), { chat_id: chat }, ben);
    fine.stop();
  });

  test('include subscriptions by POST', async () => {
    const answer = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.access}` },
      body: JSON.stringify({ query: document, variables: privateChat(chat) }),
    });
    expect({ status: answer.status, code: answer.json.errors[0].extensions.code }).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    });
  });
});

/** A raw WebSocket, to send what a client of the protocol would not. */
async function bare(
  at: TestGateway,
  protocols: string | string[] = 'graphql-transport-ws',
  headers = {},
): Promise<{
  socket: WebSocket;
  closed: Promise<number>;
}> {
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/graphql`, protocols, { headers });
  const closed = new Promise<number>(resolve => socket.once('close', code => resolve(code)));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return { socket, closed };
}

describe('a connection', () => {
  const init = (access: string): string =>
    JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${access}` } });
  const answerTo = (socket: WebSocket, text: string): Promise<string> => {
    const answer = new Promise<string>(resolve => socket.once('message', data => resolve(String(data))));
    socket.send(text);
    return answer;
  };

  test('is closed with the code of the protocol error', async () => {
    const wrongs: [string | Buffer, number][] = [
      ['no json', 4400],
      ['{"type":"unheard-of"}', 4400],
      ['{"id":"1","type":"subscribe","payload":{"query":"{ a }"}}', 4401],
      ['x'.repeat(65 * 1024), 1009],
    ];
    for (const [text, code] of wrongs) {
      const { socket, closed } = await bare(gateway);
      socket.send(text);
      expect({ text: text.slice(0, 40), code: await closed }).toEqual({ text: text.slice(0, 40), code });
    }
    const { socket, closed } = await bare(gateway);
    expect(await answerTo(socket, init(ada.access))).toContain('connection_ack');
    socket.send(init(ada.access));
    expect(await closed).toBe(4429);
  });

  test('answers a ping', async () => {
    const { socket } = await bare(gateway);
    expect(await answerTo(socket, '{"type":"ping"}')).toBe('{"type":"pong"}');
    socket.terminate();
  });

  test('is limited to ten per user', async () => {
    const [dora] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
    const sockets: WebSocket[] = [];
    for (let at = 0; at < 10; at++) {
      const { socket } = await bare(gateway);
      expect(await answerTo(socket, init(dora.access))).toContain('connection_ack');
      sockets.push(socket);
    }
    const { socket, closed } = await bare(gateway);
    socket.send(init(dora.access));
    expect(await closed).toBe(4403);
    // Closing a connection frees its slot.
    const gone = new Promise(resolve => sockets[0]?.once('close', resolve));
    sockets[0]?.close();
    await gone;
    for (let tries = 0; ; tries++) {
      const next = await bare(gateway);
      const first = new Promise<string>(resolve => next.socket.once('message', data => resolve(String(data))));
      next.socket.send(init(dora.access));
      const outcome = await Promise.race([first, next.closed]);
      next.socket.terminate();
      if (typeof outcome === 'string') break;
      expect(tries).toBeLessThan(20);
    }
    for (const one of sockets) one.terminate();
  });

  test('with another protocol, from another origin or over the limit is refused', async () => {
    await expect(bare(narrow, 'graphql-transport-ws', { Origin: 'https://evil.example' })).rejects.toThrow('403');
    const { socket } = await bare(narrow, 'graphql-transport-ws', { Origin: 'https://app.example' });
    await expect(bare(narrow)).rejects.toThrow('503');
    socket.terminate();
    await expect(bare(gateway, 'graphql-ws')).rejects.toThrow();
    const other = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/v1/articles/`, 'graphql-transport-ws');
    await expect(
      new Promise((resolve, reject) => {
        other.once('open', resolve);
        other.once('error', reject);
      }),
    ).rejects.toThrow('200');
  });

  test('does not delay a shutdown and is closed', async () => {
    const listening = await started(listen(clientOf(leaving, ada.access), privateChat(chat)), { chat_id: chat }, ben);
    const { closed } = await bare(leaving);
    await leaving.stop();
    expect(await closed).toBe(1001);
    await listening.until(() => listening.ended || listening.failure !== undefined, 'the end');
  });
});

test('notifications name the conversation and contain no text', async () => {
  const told: string[] = [];
  const stop = await gateway.database.notifications.subscribe('portico_chat', `chat:${chat}`, () => told.push('told'));
  const before = told.length;
  await write(ben, { chat_id: chat, content: 'secret words' });
  for (let tries = 0; tries < 100 && told.length === before; tries++) {
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  stop();
  expect(told.length).toBeGreaterThan(before);
});
