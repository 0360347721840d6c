import type { GraphQLError } from 'graphql';
import type { Finding } from 'triage';
import { type CompanionAnswer, CompanionRole, type CompanionTurn } from '../../../schema/health/companion.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';
import type { Action } from '../../limits/rate-limiter.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledText } from '../input/text-limits.ts';
import { fallbackNoteOf } from '../safety/fixed-texts.ts';
import { buildNotice, findDangerIn } from '../safety/safety-notice.ts';
import { textsIn } from '../safety/texts.ts';
import { countAnswer, countFallback, countRemoved } from './companion-metrics.ts';
import { asksAboutCondition, conditionIn, describeCondition } from './conversation/describe-condition.ts';
import { findEarlierQuestion } from './conversation/follow-up.ts';
import { smallTalkIn } from './conversation/small-talk.ts';
import { symptomsIn } from './conversation/symptoms-in.ts';
import type { AnswerSink, EngineInput, Passage, Reply } from './engine.ts';
import { type ConsentedModel, withConsentedModel } from './model/consented-model.ts';
import { loadModelContext } from './model/model-context.ts';
import { modelEngine } from './model/model-engine.ts';
import { CrisisDetected, type FallbackReason, ModelError } from './model/model-error.ts';
import { englishMeaningsOf } from './retrieval/english-meanings.ts';
import { searchArticles } from './retrieval/find-passages.ts';
import { retrievalEngine } from './retrieval/retrieval-engine.ts';
import { storeExchange } from './store-exchange.ts';

/** Limits of a message to the companion. */
export const questionLimits = filledText(2_000);

type Dependencies = Pick<
  Context,
  | 'actor'
  | 'config'
  | 'eventStream'
  | 'notifications'
  | 'now'
  | 'origin'
  | 'read'
  | 'sql'
  | 'rateLimiter'
  | 'transaction'
>;

/**
 * Answers a message and stores question and answer in one transaction; a failure, or a disconnect of a streaming
 * client, stores nothing. A crisis, an emergency and a language that is not read get a fixed text; what a doctor must see within a day puts
 * a notice before the answer. With a configured model, the model answers; on any model error the articles do.
 * @throws field errors, tooManyRequests, forbidden where the companion is switched off, database errors
 */
export async function askCompanion(context: Dependencies, message: string): Promise<CompanionAnswer> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const question = checks.text('message', message, questionLimits);
  checks.assertPassed();
  await context.rateLimiter.charge(budgetsOf(context));
  const askedAt = context.now();
  const finding = await findDangerIn([question]);
  if (context.config.COMPANION === 'off') throw companionIsOff(context.config, finding);
  const answer = new AnswerStream(context);
  const { engine, sources, safety, assessment } = await composeAnswer(context, { question, userId, finding }, answer);
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
    sources: sources.map(({ articleId, headline, url }) => ({ articleDatabaseId: articleId, headline, url })),
    safety,
    disclaimer: textsIn(finding.language ?? undefined).disclaimer,
    engine,
    assessment,
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

interface AskedQuestion {
  question: string;
  userId: number;
  finding: Finding;
}

type ComposedAnswer = Pick<Reply, 'engine' | 'sources'> & Pick<CompanionAnswer, 'assessment' | 'safety'>;

async function composeAnswer(
  context: Dependencies,
  asked: AskedQuestion,
  answer: AnswerStream,
): Promise<ComposedAnswer> {
  const { userId, finding } = asked;
  // Nothing is quoted after a crisis or an emergency but help.
  if (finding.level === 'crisis') {
    const fixed = noArticles(context, finding);
    answer.write(fixed.safety.text ?? '');
    return fixed;
  }
  const language = finding.language ?? undefined;
  return withConsentedModel(context, { userId, language }, model => composeOrdinary(context, asked, answer, model));
}

/** What stands beside an answer without articles. */
const noArticles = ({ config }: Pick<Context, 'config'>, finding: Finding): ComposedAnswer => ({
  engine: 'retrieval',
  sources: [],
  safety: buildNotice(finding, config.CRISIS_HELPLINE_COUNTRIES),
  assessment: null,
});

async function composeOrdinary(
  context: Dependencies,
  { question, userId, finding }: AskedQuestion,
  answer: AnswerStream,
  { client, moderator, withdrawal, question: consentQuestion }: ConsentedModel,
): Promise<ComposedAnswer> {
  const language = finding.language ?? undefined;
  const fixed = noArticles(context, finding);
  const { safety } = fixed;
  const isEmergency = finding.level === 'emergency';
  if ((isEmergency && !client) || !finding.isLanguageRead) {
    answer.write(`${safety.text}\n\n${textsIn(language).disclaimer}`);
    return fixed;
  }
  const smallTalk = smallTalkIn(question);
  if (smallTalk) {
    const { hello, thanks, disclaimer } = textsIn(smallTalk.language);
    answer.write({ hello, thanks, who: `${hello}\n\n${disclaimer}` }[smallTalk.kind]);
    return fixed;
  }
  const foreign = language === 'en' ? undefined : language;
  const [{ passages, isInEnglish }, background] = await Promise.all([
    findPassagesFor(context, { question, userId, finding }),
    client ? loadModelContext(context, userId) : { history: [], profileHints: [] },
  ]);
  // What the profile of the writer says is not read into a question about another person.
  const profileHints = finding.whose === 'writer' ? background.profileHints : [];
  const input: EngineInput = {
    message: question,
    language: foreign,
    passages,
    isInEnglish,
    ...background,
    profileHints,
  };
  const prefix = safety.text === null ? '' : `${safety.text}\n\n`;
  if (prefix !== '') answer.write(prefix);
  let reply: Reply | undefined;
  let failure: FallbackReason | undefined;
  if (client) {
    try {
      const engine = modelEngine({
        client,
        moderator,
        live: context.eventStream !== undefined,
        onRemoved: kind => countRemoved(context, kind),
      });
      reply = await engine.reply(input, answer.until(withdrawal));
    } catch (error) {
      if (error instanceof CrisisDetected) {
        answer.restart('');
        return composeAnswer(context, { question, userId, finding: crisisOf(finding) }, answer);
      }
      if (!(error instanceof ModelError)) throw error;
      failure = error.reason;
      countFallback(context, error.reason);
      answer.restart(prefix);
    }
  }
  // Nothing but the notice is left of an emergency.
  if (reply === undefined && isEmergency) answer.restart(safety.text ?? '');
  else reply ??= await replyWithoutModel(input, answer);
  // Who has withdrawn the consent knows why no model answers.
  if (failure !== undefined && failure !== 'withdrawn' && reply !== undefined)
    answer.write(`\n\n${fallbackNoteOf(failure, language)}`);
  const symptoms = isEmergency ? [] : symptomsIn(question, finding);
  if (symptoms.length > 0) answer.write(`\n\n${textsIn(language).assess}`);
  if (consentQuestion !== undefined) answer.write(`\n\n${consentQuestion}`);
  answer.write(`\n\n${textsIn(language).disclaimer}`);
  const { engine, sources } = reply ?? fixed;
  return { engine, sources, safety, assessment: symptoms.length > 0 ? { symptoms } : null };
}

/** Whoever is in danger reads where help is, also where nobody answers. */
function companionIsOff({ CRISIS_HELPLINE_COUNTRIES }: Config, finding: Finding): GraphQLError {
  const { text } = buildNotice(finding, CRISIS_HELPLINE_COUNTRIES);
  const message = 'The companion of this service is switched off.';
  return forbidden({ reason: 'companion_off' }, text === null ? message : `${message}\n\n${text}`);
}

/** The finding where a model detects a crisis that the engine missed. */
const crisisOf = (finding: Finding): Finding => ({
  ...finding,
  level: 'crisis',
  signs: [{ id: 'crisis-model', label: 'Crisis', kind: 'self', whose: 'writer' }, ...finding.signs],
});

interface FoundPassages {
  passages: Passage[];
  /** Whether they are in English and the question is not. */
  isInEnglish: boolean;
}

/** Passages for a question of a person, together with the question that it continues; by their profile where it is about themselves. */
async function findPassagesFor(
  context: Dependencies,
  { question, userId, finding }: AskedQuestion,
): Promise<FoundPassages> {
  const language = finding.language === null || finding.language === 'en' ? undefined : finding.language;
  const earlier = await findEarlierQuestion(context, userId, question);
  const whole = earlier === undefined ? question : `${earlier} ${question}`;
  const { whose } = earlier === undefined ? finding : await findDangerIn([whole]);
  const asking = whose === 'writer' ? userId : undefined;
  let { passages, person } = await searchArticles(context, whole, language, asking);
  // «And what if it comes back?» names nothing that articles tell of beside the subject of the question before.
  if (passages.length === 0 && earlier !== undefined)
    ({ passages, person } = await searchArticles(context, earlier, language, asking));
  if (language !== undefined) {
    if (passages.length > 0) return { passages, isInEnglish: false };
    const english = await englishMeaningsOf(whole, language);
    return { passages: (await searchArticles(context, english, undefined, asking)).passages, isInEnglish: true };
  }
  if (!person.isPregnant) return { passages, isInEnglish: false };
  // What an article on pregnancy says of the same goes first.
  const further = await searchArticles(context, `${whole} in pregnancy`, language, asking);
  const pregnant = further.passages.filter(({ isAboutPerson }) => isAboutPerson);
  const others = passages.filter(one => !pregnant.some(({ articleId }) => articleId === one.articleId));
  return { passages: [...pregnant, ...others], isInEnglish: false };
}

/** Quotes articles; where none is about a condition that the question names, the description of the condition answers. */
async function replyWithoutModel(input: EngineInput, answer: AnswerStream): Promise<Reply> {
  const { message, language, passages } = input;
  // A name alone says nothing about its language.
  const condition = language === undefined || asksAboutCondition(message) ? conditionIn(message) : undefined;
  const isTold = passages.some(({ headline, paragraphs }) =>
    [headline, paragraphs[0] ?? ''].some(text => condition && conditionIn(text) === condition),
  );
  if (!condition || isTold || !(passages.length === 0 || asksAboutCondition(message)))
    return retrievalEngine.reply(input, answer);
  const text = `${textsIn(undefined).condition.replace('{name}', condition.name)}\n\n${describeCondition(condition)}`;
  answer.write(text);
  return { text, sources: [], engine: 'retrieval' };
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

  /** The same, which also ends when `other` is aborted. */
  until(other: AbortSignal | undefined): AnswerSink {
    const signals = [this.signal, other].filter(one => one !== undefined);
    return { write: this.write, signal: AbortSignal.any(signals) };
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
