/** Who is asking. One of these stands in every context; rules and visibility read nothing else about the caller. */
export type Actor =
  | { kind: 'anonymous'; ip: string }
  /** Somebody with a session of the health product. A guest has an account that nobody has claimed. */
  | { kind: 'person'; ip: string; userId: number; sessionId: string; isGuest: boolean };
