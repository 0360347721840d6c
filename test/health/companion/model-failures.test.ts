import { describe, expect, test } from '@jest/globals';
import { chunkOf, completionOf, says, sendJson } from '../../harness/model-server.ts';
import {
  ask,
  disclaimer,
  expectNothingLogged,
  gateway,
  model,
  note,
  question,
  refused,
  somebody,
  stream,
  turns,
} from './model-gateway.ts';

describe('a model that fails', () => {
  const fallbacks = (reason: string): Promise<number> =>
    gateway
      .metrics()
      .then(({ text }) => Number(new RegExp(`fallbacks_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0));

  test.each([429, 500, 503])('with %d and then not is asked once more', async status => {
    model.answer(
      response => sendJson(response, { error: { message: 'later' } }, status, { 'retry-after-ms': '1' }),
      says('Migraine is a condition of the brain [1].'),
    );
    const answer = await ask();
    expect([answer.engine, model.requests.length]).toEqual(['model', 2]);
    expect(answer.reply).toMatch(/^Migraine is a condition of the brain \[1\]\./);
  });

  test.each<[string, string, number, Parameters<typeof model.answer>[0]]>([
    [
      'with 500 twice',
      'server_error',
      2,
      response => sendJson(response, { error: {} }, 500, { 'retry-after-ms': '1' }),
    ],
    ['with 401', 'refused', 1, response => sendJson(response, { error: { message: 'no' } }, 401)],
    ['with a long Retry-After', 'timeout', 1, response => sendJson(response, {}, 429, { 'retry-after': '50' })],
    ['by hanging', 'timeout', 1, () => {}],
    [
      'by hanging in the middle',
      'timeout',
      1,
      response => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":');
      },
    ],
    [
      'by hanging up',
      'unreachable',
      2,
      response => {
        response.destroy();
      },
    ],
    [
      'with a page',
      'garbage',
      1,
      response => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
      },
    ],
    [
      'with half a JSON',
      'garbage',
      1,
      response => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"mess');
      },
    ],
    ['with other JSON', 'garbage', 1, response => sendJson(response, [1, 2, 3])],
    ['with null', 'garbage', 1, response => sendJson(response, null)],
    ['with no choices', 'garbage', 1, response => sendJson(response, { choices: [] })],
    ['with choices of another kind', 'garbage', 1, response => sendJson(response, { choices: 'many' })],
    ['with content that is no text', 'garbage', 1, response => sendJson(response, completionOf({ a: 1 }))],
    ['with nothing', 'garbage', 1, response => sendJson(response, completionOf(''))],
    ['with white space', 'garbage', 1, response => sendJson(response, completionOf(' \n \n'))],
    [
      'with a redirect',
      'refused',
      1,
      response => {
        response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end();
      },
    ],
    ['with what nobody should be told', 'unsafe', 1, says('You should just kill yourself.')],
    ['with a dose alone', 'unsafe', 1, says('Take two tablets every four hours.')],
    ['with what no article says', 'unsupported', 1, says('Bananas open the third eye.')],
    ['beside the question', 'unsupported', 1, says('The moon consists of seven kinds of basalt.')],
  ])('%s: the articles answer, with a note, and it is counted as %s', async (_, reason, requests, bad) => {
    const count = await fallbacks(reason);
    model.answer(bad);
    const { access } = somebody();
    const answer = await ask(question, access);
    expect(answer).toMatchObject({ engine: 'retrieval', user_message: question });
    expect(answer.reply).toMatch(/^This is what our articles say:/);
    expect(answer.reply).toMatch(reason === 'unsafe' || reason === 'unsupported' ? refused : note);
    expect(answer.reply).toMatch(disclaimer);
    expect(answer.sources.length).toBeGreaterThan(0);
    expect(model.requests).toHaveLength(requests);
    expect(await fallbacks(reason)).toBe(count + 1);
    expect((await turns(access)).map(turn => turn.content)).toEqual([question, answer.reply]);
  });

  test('by sending 10 MB is disconnected', async () => {
    let sent = 0;
    model.answer(response => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":[{"message":{"role":"assistant","content":"');
      const block = 'x'.repeat(64 * 1024);
      const more = (): void => {
        while (sent < 10 * 1024 * 1024 && !response.destroyed) {
          sent += block.length;
          if (!response.write(block)) {
            response.once('drain', more);
            return;
          }
        }
        if (!response.destroyed) response.end('"}}]}');
      };
      more();
    });
    const count = await fallbacks('too_large');
    expect((await ask()).engine).toBe('retrieval');
    expect(await (await model.asked()).closed).toBe(false);
    expect(sent).toBeLessThan(10 * 1024 * 1024);
    expect(await fallbacks('too_large')).toBe(count + 1);
  });

  test('by an endless answer is truncated to 6,000 characters', async () => {
    model.answer(response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const talk = (): void => {
        if (response.destroyed) return;
        response.write(chunkOf('Migraine is a condition of the brain. '));
        setImmediate(talk);
      };
      talk();
    });
    const { answer } = await stream(question);
    expect(answer.engine).toBe('model');
    expect(answer.reply.length).toBeLessThan(6_500);
    expect(await (await model.asked()).closed).toBe(false);
  });
});

test('the log contains neither the key nor any message text', () => {
  expectNothingLogged();
});
