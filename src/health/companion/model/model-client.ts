import type OpenAI from 'openai';
import type { Config } from '../../../config/config.ts';
import { ModelError } from './model-error.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ModelClient {
  /**
   * The text of an answer, in pieces where `live` is true and else in one. Rejects with a ModelFailed, or with an error of
   * `signal` when that is aborted.
   */
  answer(messages: ChatMessage[], live: boolean, signal: AbortSignal | undefined): AsyncIterable<string>;
}

type Settings = Pick<Config, 'AI_BASE_URL' | 'AI_API_KEY' | 'AI_MODEL' | 'AI_TIMEOUT_MS'>;

/** Bytes of one response. A piece of a stream brings some 250 bytes for one of text; 10 MB are nobody's answer. */
const maxResponseBytes = 1024 * 1024;

const clients = new WeakMap<Settings, ModelClient>();

/** The client for these settings, or undefined where no model is set. One for each process: it keeps connections open. */
export function modelClientOf(settings: Settings): ModelClient | undefined {
  const { AI_BASE_URL, AI_MODEL } = settings;
  if (AI_BASE_URL === undefined || AI_MODEL === undefined) return undefined;
  const known = clients.get(settings) ?? openModelClient(settings, AI_BASE_URL, AI_MODEL);
  clients.set(settings, known);
  return known;
}

function openModelClient({ AI_API_KEY, AI_TIMEOUT_MS }: Settings, baseURL: string, model: string): ModelClient {
  let opening: Promise<OpenAI> | undefined;
  const open = async (): Promise<OpenAI> => {
    // Loaded when it is needed for the first time: most installations have no model.
    const { default: Client } = await import('openai');
    return new Client({
      baseURL,
      // The library insists on one; a server on one's own machine wants none.
      apiKey: AI_API_KEY ?? 'none',
      // Said to be none: otherwise the library looks into the environment.
      organization: null,
      project: null,
      timeout: AI_TIMEOUT_MS,
      maxRetries: 1,
      // It would write requests to the console, people's words among them.
      logLevel: 'off',
      fetch: boundedFetch,
    });
  };
  return {
    async *answer(messages, live, caller) {
      opening ??= open();
      const client = await opening;
      // Of both tries and the pause between them together: the library's own limit is for each try.
      const deadline = AbortSignal.timeout(AI_TIMEOUT_MS);
      const signal = caller ? AbortSignal.any([caller, deadline]) : deadline;
      try {
        if (live) {
          const stream = await client.chat.completions.create({ model, messages, stream: true }, { signal });
          for await (const chunk of stream) yield parseContent(chunk.choices?.[0]?.delta?.content);
          // A stream that is aborted ends as if it were complete.
          if (signal.aborted) throw signal.reason;
          return;
        }
        const completion = await client.chat.completions.create({ model, messages }, { signal });
        yield parseContent(completion?.choices?.[0]?.message?.content);
      } catch (error) {
        if (caller?.aborted) throw caller.reason;
        throw error instanceof ModelError
          ? error
          : new ModelError(deadline.aborted ? 'timeout' : fallbackReasonOf(error));
      }
    },
  };
}

/** The types of the library are what it hopes for: a server may send anything. */
function parseContent(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content !== 'string') throw new ModelError('garbage');
  return content;
}

function fallbackReasonOf(error: unknown): ModelError['reason'] {
  let cause = error as { status?: unknown; code?: unknown; cause?: unknown } | undefined;
  let connecting = false;
  for (let depth = 0; typeof cause === 'object' && cause !== null && depth < 5; depth++) {
    if (cause instanceof ResponseTooLarge) return 'too_large';
    if (typeof cause.status === 'number') return cause.status >= 500 ? 'server_error' : 'refused';
    if (cause.constructor.name === 'APIConnectionTimeoutError') return 'timeout';
    connecting ||=
      cause.constructor.name === 'APIConnectionError' || /^(E[A-Z]+|UND_ERR_\w+)$/.test(String(cause.code));
    cause = cause.cause as typeof cause;
  }
  return connecting ? 'unreachable' : 'garbage';
}

class ResponseTooLarge extends Error {}

/**
 * Follows no redirect: the address is the operator's, and another server's word does not change where people's questions go.
 * Reads no more than `mostBytes`; beyond that the connection is closed.
 */
async function boundedFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  let left = maxResponseBytes;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        if (left < 0) controller.error(new ResponseTooLarge('The answer of the model is too large.'));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}
