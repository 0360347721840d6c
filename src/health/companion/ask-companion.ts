import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import type { Window } from '../../limits/throttle.ts';
import { personOf } from '../accounts/person.ts';
import { countAnswer, countFallback } from './counters.ts';
import type { Asked, Listener, Reply } from './engine.ts';
import { backgroundOf } from './model/background.ts';
import { modelClientOf } from './model/model-client.ts';
import { modelEngine } from './model/model-engine.ts';
import { CrisisNoticed, ModelFailed } from './model/model-failed.ts';
import { findPassages } from './retrieval/find-passages.ts';
import { retrievalEngine } from './retrieval/retrieval-engine.ts';
import { crisisResources, emergencyResources, type Resource } from './safety/crisis-resources.ts';
import { crisisText, disclaimer, fallbackNote, urgentText } from './safety/fixed-texts.ts';
import { judge, type Verdict } from './safety/judge.ts';
import { storeExchange } from './store-exchange.ts';

export interface CompanionAnswerRow {
  id: number;
  reply: string;
  userMessage: string;
  createdAt: Date;
  sources: { articleId: number; headline: string; url: string }[];
  safety: { level: Verdict['level']; resources: Resource[] };
  disclaimer: string;
  engine: Reply['engine'];
}

/** Characters of a message. */
const longest = 2_000;

type Surroundings = Pick<
  Context,
  'actor' | 'config' | 'live' | 'now' | 'origin' | 'read' | 'sql' | 'throttle' | 'transaction'
>;

/**
 * Answers a message and stores both turns once the answer is there: what failed leaves nothing behind, and neither does an
 * answer that is watched live by somebody who leaves before its end. Somebody in a crisis gets a fixed text; a medical red
 * flag puts a block in front of the answer. Where a model is set it is asked, and whatever is wrong with it the articles
 * answer. Throws field errors, `throttled`, and what the database throws.
 */
export async function askCompanion(context: Surroundings, message: string): Promise<CompanionAnswerRow> {
  const { userId } = personOf(context.actor);
  const checks = new Checks();
  const question = checks.text('message', message, { most: longest });
  checks.done();
  await context.throttle.spend(budgetsOf(context));
  const askedAt = context.now();
  const verdict = judge(question);
  const answer = new Answer(context);
  const { engine, sources, safety } = await compose(context, { question, userId, verdict }, answer);
  // Nobody waits any more, and nothing was promised to anybody.
  context.live?.signal.throwIfAborted();
  const answeredAt = context.now();
  const id = await storeExchange(context, userId, {
    question,
    askedAt,
    answer: answer.text,
    answeredAt,
    safety: safety.level,
  });
  countAnswer(context, engine, safety.level);
  return {
    id,
    reply: answer.text,
    userMessage: question,
    createdAt: answeredAt,
    sources: sources.map(({ articleId, headline, url }) => ({ articleId, headline, url })),
    safety,
    disclaimer,
    engine,
  };
}

function budgetsOf({ actor }: Pick<Context, 'actor'>): Window[] {
  const { userId, isGuest, ip } = personOf(actor);
  const own: Window = { budget: 'ai', key: String(userId) };
  if (!isGuest) return [own];
  return [own, { budget: 'guestAi', key: String(userId) }, { budget: 'guestAiFromIp', key: ip }];
}

function resourcesFor({ level, about }: Verdict, countries: readonly string[]): Resource[] {
  if (level === 'crisis') return crisisResources(countries, about === 'abuse');
  return level === 'urgent' ? emergencyResources(countries) : [];
}

interface Case {
  question: string;
  userId: number;
  verdict: Verdict;
}

interface Composed extends Pick<Reply, 'engine' | 'sources'> {
  safety: CompanionAnswerRow['safety'];
}

async function compose(context: Surroundings, { question, userId, verdict }: Case, answer: Answer): Promise<Composed> {
  const resources = resourcesFor(verdict, context.config.CRISIS_RESOURCES);
  const safety = { level: verdict.level, resources };
  if (verdict.level === 'crisis') {
    answer.tell(crisisText(verdict, resources));
    return { engine: 'retrieval', sources: [], safety };
  }
  const client = modelClientOf(context.config);
  const [passages, background] = await Promise.all([
    findPassages(context, question),
    client ? backgroundOf(context, userId) : { history: [], profileHints: [] },
  ]);
  const asked: Asked = { message: question, passages, ...background };
  const opening = verdict.level === 'urgent' ? `${urgentText(verdict, resources)}\n\n` : '';
  if (opening !== '') answer.tell(opening);
  let reply: Reply | undefined;
  if (client) {
    try {
      reply = await modelEngine(client, context.live !== undefined).reply(asked, answer);
    } catch (error) {
      if (error instanceof CrisisNoticed) {
        answer.restart('');
        return compose(context, { question, userId, verdict: { ...verdict, level: 'crisis' } }, answer);
      }
      if (!(error instanceof ModelFailed)) throw error;
      countFallback(context, error.reason);
      answer.restart(opening);
    }
  }
  const fellBack = client !== undefined && reply === undefined;
  reply ??= await retrievalEngine.reply(asked, answer);
  if (fellBack) answer.tell(`\n\n${fallbackNote}`);
  answer.tell(`\n\n${disclaimer}`);
  return { engine: reply.engine, sources: reply.sources, safety };
}

/** The answer as it grows, told to whoever watches it live. */
class Answer implements Listener {
  readonly #live: Context['live'];
  text = '';

  constructor({ live }: Pick<Context, 'live'>) {
    this.#live = live;
  }

  get signal(): AbortSignal | undefined {
    return this.#live?.signal;
  }

  readonly tell = (piece: string): void => {
    this.text += piece;
    this.#live?.emit('delta', { text: piece });
  };

  /** Goes back to `text`; who watches is told to forget the rest. */
  restart(text: string): void {
    if (this.text === text) return;
    this.text = text;
    this.#live?.emit('reset', { text });
  }
}
