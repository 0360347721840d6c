import { describe, expect, test } from '@jest/globals';
import { BareConnection } from '../../harness/bare-connection.ts';
import { chunkOf, says, sendJson } from '../../harness/model-server.ts';
import { ask, expectNothingLogged, gateway, model, question, somebody, stream, turns } from './model-gateway.ts';

describe('a streamed answer', () => {
  test('of the model is streamed by filtered sentence and ends with the whole text', async () => {
    const { access } = somebody();
    model.answer(
      says('A dark room helps [1]. Take 400 mg of ibuprofen. A cold pack can help. Ask your pharmacist about it.'),
    );
    const { status, headers, events, shown, answer } = await stream(question, access);
    expect([status, headers.get('content-type')]).toEqual([201, 'text/event-stream; charset=utf-8']);
    expect((await model.asked()).body.stream).toBe(true);
    const deltas = events.filter(event => event.name === 'delta').map(event => event.data.text);
    expect(deltas.slice(0, 4)).toEqual([
      'A dark room helps [1]. ',
      'I cannot give doses or change a medicine; ask your doctor or pharmacist for that. ',
      'A cold pack can help. ',
      'Ask your pharmacist about it.',
    ]);
    expect(events.at(-1)?.name).toBe('answer');
    expect(shown).toBe(answer.reply);
    expect(answer).toMatchObject({ engine: 'model', user_message: question, id: expect.any(Number) });
    expect((await turns(access)).at(-1)?.content).toBe(answer.reply);
  });

  test('of the articles is streamed in a few events', async () => {
    model.answer(response => sendJson(response, {}, 401));
    const { events, shown, answer } = await stream(question);
    expect(answer.engine).toBe('retrieval');
    expect(events.length).toBeGreaterThan(3);
    expect(shown).toBe(answer.reply);
  });

  test('is reset when the model fails midway', async () => {
    model.answer(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunkOf('Heartburn is a burning sensation rising from the stomach. The second'));
      response.write(chunkOf(' is just coming. And'));
    });
    const { events, shown, answer } = await stream('I have crushing chest pain, is it heartburn?');
    const names = events.map(event => event.name);
    expect(names).toContain('reset');
    expect(names.indexOf('reset')).toBeGreaterThan(names.indexOf('delta'));
    expect(answer.engine).toBe('retrieval');
    expect(shown).toBe(answer.reply);
    expect(answer.reply).not.toMatch(/not safe|The second/);
    expect(answer.reply).toMatch(/^\*\*Call emergency/);
  });

  test.each([
    ['an event that is no JSON', 'data: {"choices"\n\n'],
    ['content that is no text', chunkOf([1])],
    ['a page', '<html>\n\n'],
    ['nothing', ''],
  ])('of a model that sends %s is given by the articles', async (_, bytes) => {
    model.answer(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes);
    });
    const { answer, shown } = await stream(question);
    expect(answer.engine).toBe('retrieval');
    expect(shown).toBe(answer.reply);
  });

  test('is aborted on disconnect and not stored', async () => {
    const { access } = somebody();
    model.answer(response => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(chunkOf('Migraine is a condition of the brain. The sec'));
    });
    const connection = await BareConnection.open(gateway.url);
    const body = JSON.stringify({ message: question });
    connection.send(
      `POST /api/v1/chat/ai/ HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${access}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await connection.until(/Migraine is a condition of the brain\./);
    connection.destroy();
    const asked = await model.asked();
    const started = performance.now();
    expect(await asked.closed).toBe(false);
    // Aborted by the disconnect, not by the timeout of the model.
    expect(performance.now() - started).toBeLessThan(500);
    expect(await turns(access)).toEqual([]);
    model.answer(says('Fine.'));
    await ask(question, access);
    expect(await turns(access)).toHaveLength(2);
  });

  test('that cannot start is refused as JSON', async () => {
    const refused = await gateway.request('/api/v1/chat/ai/', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ message: question }),
    });
    expect([refused.status, refused.json.code]).toEqual([401, 'not_authenticated']);
    const { access } = somebody();
    const blank = await gateway.request('/api/v1/chat/ai/', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${access}` },
      body: '{"message":""}',
    });
    expect([blank.status, blank.json]).toEqual([400, { message: ['This field may not be blank.'] }]);
  });
});

test('the log contains neither the key nor any message text', () => {
  expectNothingLogged();
});
