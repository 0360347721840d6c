/** Part of an article that fits a message. */
export interface Passage {
  articleId: number;
  headline: string;
  /** Code of the publisher. */
  source: string;
  /** Absolute. */
  url: string;
  /** Paragraphs of the article as plain text, those that fit best first; at least one. */
  paragraphs: string[];
}

export interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

/** What an engine may use for its answer. */
export interface EngineInput {
  message: string;
  /** The best one first; empty when no article fits. */
  passages: Passage[];
  /** What was said before, the oldest first. */
  history: Turn[];
  /** Facts of the profile, each a short sentence; empty unless the person agreed. Never a name or an address. */
  profileHints: string[];
}

export interface Reply {
  text: string;
  /** What the text cites, in the order of its numbers: [1] is the first. */
  sources: Passage[];
  engine: 'retrieval' | 'model';
}

/** Where an answer goes while it is made. The pieces together are the text of the reply. */
export interface AnswerSink {
  write(piece: string): void;
  /** Aborted when nobody listens any more. */
  signal: AbortSignal | undefined;
}

/** Something that answers. It rejects when it cannot; what it has told by then is to be thrown away. */
export interface CompanionEngine {
  reply(asked: EngineInput, listener: AnswerSink): Promise<Reply>;
}
