import { type CompanionAnswer, CompanionRole, type CompanionTurn } from '../../../schema/health/companion.ts';
import type { Context } from '../../context/context.ts';
import type { Action } from '../../limits/rate-limiter.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { InputChecks } from '../input/input-checks.ts';
import { countAnswer, countFallback, countRemoved } from './companion-metrics.ts';
import type { AnswerSink, EngineInput, Reply } from './engine.ts';
import { modelClientOf, moderatorOf } from './model/model-client.ts';
import { loadModelContext } from './model/model-context.ts';
import { modelEngine } from './model/model-engine.ts';
import { CrisisDetected, type FallbackReason, ModelError } from './model/model-error.ts';
import { findPassages } from './retrieval/find-passages.ts';
import { retrievalEngine } from './retrieval/retrieval-engine.ts';
import type { SafetyClassification } from './safety/classify-by-rules.ts';
import { classifyMessage } from './safety/classify-message.ts';
import { crisisResources, emergencyResources, type Resource } from './safety/crisis-resources.ts';
import { buildCrisisText, buildUrgentText, fallbackNoteOf } from './safety/fixed-texts.ts';
import { textsIn } from './safety/texts.ts';
import { storeExchange } from './store-exchange.ts';

/** Maximum characters of a message. */
const maxMessageLength = 2_000;

type Dependencies = Pick<
  Context,
  'actor' | 'config' | 'eventStream' | 'now' | 'origin' | 'read' | 'sql' | 'rateLimiter' | 'transaction'
>;

/**
 * Answers a message and stores question and answer in one transaction; a failure, or a disconnect of a streaming
 * client, stores nothing. A crisis gets a fixed text; a medical red flag puts a notice before the answer. With a
 * configured model, the model answers; on any model error the articles do.
 * @throws field errors, tooManyRequests, database errors
 */
export async function askCompanion(context: Dependencies, message: string): Promise<CompanionAnswer> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const question = checks.text('message', message, { maxLength: maxMessageLength });
  checks.assertPassed();
  await context.rateLimiter.charge(budgetsOf(context));
  const askedAt = context.now();
  const classification = classifyMessage(question);
  const answer = new AnswerStream(context);
  const { engine, sources, safety } = await composeAnswer(context, { question, userId, classification }, answer);
  // The streaming client has disconnected.
  context.eventStream?.signal.throwIfAborted();
  const answeredAt = context.now();
  const stored = await storeExchange(context, userId, {
    question,
    askedAt,
    answer: answer.text,
    answeredAt,
    safety: safety.level,
  });
  countAnswer(context, engine, safety.level);
  return {
    question: turn(stored.question, CompanionRole.USER, question, askedAt),
    message: turn(stored.answer, CompanionRole.ASSISTANT, answer.text, answeredAt),
    id: stored.answer,
    reply: answer.text,
    userMessage: question,
    createdAt: answeredAt,
    sources: sources.map(({ articleId, headline, url }) => ({ articleId, headline, url })),
    safety,
    disclaimer: textsIn(classification.language).disclaimer,
    engine,
  };
}

const turn = (id: number, role: CompanionRole, text: string, createdAt: Date): CompanionTurn => ({
  id,
  databaseId: id,
  role,
  text,
  createdAt,
});

function budgetsOf({ actor }: Pick<Context, 'actor'>): Action[] {
  const { userId, isGuest, ip } = requirePerson(actor);
  const own: Action = { action: 'ai', key: String(userId) };
  if (!isGuest) return [own];
  return [own, { action: 'guestAi', key: String(userId) }, { action: 'guestAiFromIp', key: ip }];
}

function resourcesFor({ level, about, language }: SafetyClassification, countries: readonly string[]): Resource[] {
  if (level === 'crisis') return crisisResources(countries, about === 'abuse', language);
  return level === 'urgent' ? emergencyResources(countries, language) : [];
}

interface ClassifiedQuestion {
  question: string;
  userId: number;
  classification: SafetyClassification;
}

interface ComposedAnswer extends Pick<Reply, 'engine' | 'sources'> {
  safety: CompanionAnswer['safety'];
}

async function composeAnswer(
  context: Dependencies,
  { question, userId, classification }: ClassifiedQuestion,
  answer: AnswerStream,
): Promise<ComposedAnswer> {
  const resources = resourcesFor(classification, context.config.CRISIS_HELPLINE_COUNTRIES);
  const safety = { level: classification.level, resources };
  if (classification.level === 'crisis') {
    answer.write(buildCrisisText(classification, resources));
    return { engine: 'retrieval', sources: [], safety };
  }
  const { language } = classification;
  const client = modelClientOf(context.config);
  const [passages, background] = await Promise.all([
    findPassages(context, question, language),
    client ? loadModelContext(context, userId) : { history: [], profileHints: [] },
  ]);
  const input: EngineInput = { message: question, language, passages, ...background };
  const prefix = classification.level === 'urgent' ? `${buildUrgentText(classification, resources)}\n\n` : '';
  if (prefix !== '') answer.write(prefix);
  let reply: Reply | undefined;
  let failure: FallbackReason | undefined;
  if (client) {
    try {
      const engine = modelEngine({
        client,
        moderator: moderatorOf(context.config),
        live: context.eventStream !== undefined,
        onRemoved: kind => countRemoved(context, kind),
      });
      reply = await engine.reply(input, answer);
    } catch (error) {
      if (error instanceof CrisisDetected) {
        answer.restart('');
        return composeAnswer(
          context,
          { question, userId, classification: { ...classification, level: 'crisis' } },
          answer,
        );
      }
      if (!(error instanceof ModelError)) throw error;
      failure = error.reason;
      countFallback(context, error.reason);
      answer.restart(prefix);
    }
  }
  reply ??= await retrievalEngine.reply(input, answer);
  if (failure !== undefined) answer.write(`\n\n${fallbackNoteOf(failure, language)}`);
  answer.write(`\n\n${textsIn(language).disclaimer}`);
  return { engine: reply.engine, sources: reply.sources, safety };
}

/** The growing answer, streamed to a live client. */
class AnswerStream implements AnswerSink {
  readonly #live: Context['eventStream'];
  text = '';

  constructor({ eventStream }: Pick<Context, 'eventStream'>) {
    this.#live = eventStream;
  }

  get signal(): AbortSignal | undefined {
    return this.#live?.signal;
  }

  readonly write = (piece: string): void => {
    this.text += piece;
    this.#live?.emit('delta', { text: piece });
  };

  /** Truncates to `text`; a live client is told to discard the rest. */
  restart(text: string): void {
    if (this.text === text) return;
    this.text = text;
    this.#live?.emit('reset', { text });
  }
}
