/** Part of an article that matches a message. */
export interface Passage {
  articleId: number;
  headline: string;
  /** Publisher code. */
  source: string;
  /** Absolute URL. */
  url: string;
  /** Sections as plain text with their headings, best match first; at least one. */
  paragraphs: string[];
  /** The section that says when to see a doctor or to call for help; absent if the article has none. */
  warning?: string | undefined;
  /** Whether its best section says something of the question for this person, such as in pregnancy. */
  isAboutPerson?: boolean;
  /** Whether it answers well enough to be quoted beside a better one; a model reads others too. */
  isQuoted?: boolean;
}

export interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

/** Input of an engine. */
export interface EngineInput {
  message: string;
  /** Code of the language of the message; undefined for English and where nothing tells. */
  language: string | undefined;
  /** Best match first; empty when no article matches. */
  passages: Passage[];
  /** Whether the passages are in English and the message is not. */
  isInEnglish?: boolean;
  /** Earlier messages, the oldest first. */
  history: Turn[];
  /** Profile facts, latest vital signs and active goals as short sentences; empty without consent. Never a name or address. */
  profileHints: string[];
}

export interface Reply {
  text: string;
  /** Cited passages in citation order: [1] is the first. */
  sources: Passage[];
  engine: 'retrieval' | 'model';
}

/** Receives an answer in pieces, whose concatenation is `Reply.text`. */
export interface AnswerSink {
  write(piece: string): void;
  /** Aborted when the client disconnects. */
  signal: AbortSignal | undefined;
}

/** Generates answers. When it rejects, the pieces written so far must be discarded. */
export interface CompanionEngine {
  reply(asked: EngineInput, listener: AnswerSink): Promise<Reply>;
}
