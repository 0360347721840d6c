import type OpenAI from 'openai';
import type { Config } from '../../../config/config.ts';
import { traceFetch } from '../../../outbound/trace-outbound.ts';
import { ModelError } from './model-error.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ModelClient {
  /**
   * The text of an answer, streamed in pieces when `live` is true. Rejects with `ModelError`, or with the reason of an
   * aborted `signal`.
   */
  answer(messages: ChatMessage[], live: boolean, signal: AbortSignal | undefined): AsyncIterable<string>;
}

type Settings = Pick<Config, 'AI_BASE_URL' | 'AI_API_KEY' | 'AI_MODEL' | 'AI_MODERATION_MODEL' | 'AI_TIMEOUT_MS'>;

/** Maximum bytes of a response. A stream event has some 250 bytes per byte of text. */
const maxResponseBytes = 1024 * 1024;

const clients = new WeakMap<Settings, ModelClient>();
const moderators = new WeakMap<Settings, ModelClient>();

/**
 * The client for these settings, or undefined when no model is configured. Shared by the process to keep connections
 * open.
 */
export function modelClientOf(settings: Settings): ModelClient | undefined {
  const { AI_BASE_URL, AI_MODEL } = settings;
  if (AI_BASE_URL === undefined || AI_MODEL === undefined) return undefined;
  const known = clients.get(settings) ?? openModelClient(settings, AI_BASE_URL, AI_MODEL);
  clients.set(settings, known);
  return known;
}

/** The client for the moderation model, or undefined when none is configured. */
export function moderatorOf(settings: Settings): ModelClient | undefined {
  const { AI_BASE_URL, AI_MODERATION_MODEL } = settings;
  if (AI_BASE_URL === undefined || AI_MODERATION_MODEL === undefined) return undefined;
  const known = moderators.get(settings) ?? openModelClient(settings, AI_BASE_URL, AI_MODERATION_MODEL);
  moderators.set(settings, known);
  return known;
}

function openModelClient({ AI_API_KEY, AI_TIMEOUT_MS }: Settings, baseURL: string, model: string): ModelClient {
  let opening: Promise<OpenAI> | undefined;
  const open = async (): Promise<OpenAI> => {
    // Loaded on first use: most installations have no model.
    const { default: Client } = await import('openai');
    return new Client({
      baseURL,
      // The library requires a key; a local server needs none.
      apiKey: AI_API_KEY ?? 'none',
      // Null, because the library reads an environment variable otherwise.
      organization: null,
      project: null,
      timeout: AI_TIMEOUT_MS,
      maxRetries: 1,
      // The library would log requests, including messages of users.
      logLevel: 'off',
      fetch: boundedFetch,
    });
  };
  return {
    async *answer(messages, live, caller) {
      opening ??= open();
      const client = await opening;
      // Deadline over all retries; the timeout of the library is per attempt.
      const deadline = AbortSignal.timeout(AI_TIMEOUT_MS);
      const signal = caller ? AbortSignal.any([caller, deadline]) : deadline;
      try {
        if (live) {
          const stream = await client.chat.completions.create({ model, messages, stream: true }, { signal });
          for await (const chunk of stream) yield parseContent(chunk.choices?.[0]?.delta?.content);
          // The library ends an aborted stream without an error.
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

/** The declared types are not validated by the library; a server may send anything. */
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
 * Follows no redirects, so that messages go only to the configured server. Closes the connection after
 * `maxResponseBytes`.
 */
async function boundedFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const response = await traceFetch(url, { ...init, redirect: 'manual' });
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
