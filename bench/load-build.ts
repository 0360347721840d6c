/** Signs the tokens of a benchmark. */
export const benchSecret = 'a secret for benchmarks, and for nothing else';

/**
 * The compiled modules, typed by their sources. Not the sources themselves: models use decorators, which Node.js does not
 * strip, and the code of `npm start` must be measured.
 */
export async function loadBuild() {
  await import('reflect-metadata');
  const [
    embedded,
    database,
    migrate,
    plant,
    demo,
    config,
    gateway,
    graph,
    logger,
    metrics,
    observe,
    recent,
    context,
    keys,
    tokens,
    rateLimiter,
    credential,
    sessions,
    lexemes,
    articleTallies,
    recommending,
    scores,
    suggested,
    profiles,
    messages,
    rooms,
    verified,
    accounts,
    credentials,
    appKeys,
    derived,
    hostingActor,
    appJwt,
    feedPages,
    eventTasks,
    callerAllowances,
    publicOrigin,
    passages,
    demoCredentials,
  ] = await Promise.all([
    import('../dist/src/db/embedded.js' as string) as Promise<typeof import('../src/db/embedded.ts')>,
    import('../dist/src/db/database.js' as string) as Promise<typeof import('../src/db/database.ts')>,
    import('../dist/src/db/migrate.js' as string) as Promise<typeof import('../src/db/migrate.ts')>,
    import('../dist/src/db/seed-once.js' as string) as Promise<typeof import('../src/db/seed-once.ts')>,
    import('../dist/seeds/demo.js' as string) as Promise<typeof import('../seeds/demo.ts')>,
    import('../dist/src/config/config.js' as string) as Promise<typeof import('../src/config/config.ts')>,
    import('../dist/src/server/gateway.js' as string) as Promise<typeof import('../src/server/gateway.ts')>,
    import('../dist/src/server/graph.js' as string) as Promise<typeof import('../src/server/graph.ts')>,
    import('../dist/src/server/logger.js' as string) as Promise<typeof import('../src/server/logger.ts')>,
    import('../dist/src/server/metrics.js' as string) as Promise<typeof import('../src/server/metrics.ts')>,
    import('../dist/src/server/request-log.js' as string) as Promise<typeof import('../src/server/request-log.ts')>,
    import('../dist/src/server/recent-requests.js' as string) as Promise<
      typeof import('../src/server/recent-requests.ts')
    >,
    import('../dist/src/context/context.js' as string) as Promise<typeof import('../src/context/context.ts')>,
    import('../dist/src/auth/derived-keys.js' as string) as Promise<typeof import('../src/auth/derived-keys.ts')>,
    import('../dist/src/auth/session-tokens.js' as string) as Promise<typeof import('../src/auth/session-tokens.ts')>,
    import('../dist/src/limits/open-rate-limiter.js' as string) as Promise<
      typeof import('../src/limits/open-rate-limiter.ts')
    >,
    import('../dist/src/auth/health-credential.js' as string) as Promise<
      typeof import('../src/auth/health-credential.ts')
    >,
    import('../dist/src/auth/sessions.js' as string) as Promise<typeof import('../src/auth/sessions.ts')>,
    import('../dist/src/health/articles/lexeme-frequencies.js' as string) as Promise<
      typeof import('../src/health/articles/lexeme-frequencies.ts')
    >,
    import('../dist/src/health/articles/article-tallies.js' as string) as Promise<
      typeof import('../src/health/articles/article-tallies.ts')
    >,
    import('../dist/src/health/recommendations/recommend-articles.js' as string) as Promise<
      typeof import('../src/health/recommendations/recommend-articles.ts')
    >,
    import('../dist/src/health/recommendations/score-articles.js' as string) as Promise<
      typeof import('../src/health/recommendations/score-articles.ts')
    >,
    import('../dist/src/health/community/peer-suggestions.queries.js' as string) as Promise<
      typeof import('../src/health/community/peer-suggestions.queries.ts')
    >,
    import('../dist/src/health/profiles/matching-terms.js' as string) as Promise<
      typeof import('../src/health/profiles/matching-terms.ts')
    >,
    import('../dist/src/health/chat/messages.queries.js' as string) as Promise<
      typeof import('../src/health/chat/messages.queries.ts')
    >,
    import('../dist/src/health/chat/conversations.js' as string) as Promise<
      typeof import('../src/health/chat/conversations.ts')
    >,
    import('../dist/src/auth/credentials/credential-store.js' as string) as Promise<
      typeof import('../src/auth/credentials/credential-store.ts')
    >,
    import('../dist/src/hosting/accounts/create-user.js' as string) as Promise<
      typeof import('../src/hosting/accounts/create-user.ts')
    >,
    import('../dist/src/hosting/credentials/insert-credential.js' as string) as Promise<
      typeof import('../src/hosting/credentials/insert-credential.ts')
    >,
    import('../dist/src/hosting/apps/add-app-key.js' as string) as Promise<
      typeof import('../src/hosting/apps/add-app-key.ts')
    >,
    import('../dist/seeds/hosting/derived-key.js' as string) as Promise<
      typeof import('../seeds/hosting/derived-key.ts')
    >,
    import('../dist/src/auth/credentials/hosting-credential.js' as string) as Promise<
      typeof import('../src/auth/credentials/hosting-credential.ts')
    >,
    import('../dist/src/auth/credentials/app-jwt.js' as string) as Promise<
      typeof import('../src/auth/credentials/app-jwt.ts')
    >,
    import('../dist/src/hosting/events/feeds.js' as string) as Promise<typeof import('../src/hosting/events/feeds.ts')>,
    import('../dist/src/hosting/events/events.tasks.js' as string) as Promise<
      typeof import('../src/hosting/events/events.tasks.ts')
    >,
    import('../dist/src/limits/caller-quotas.js' as string) as Promise<typeof import('../src/limits/caller-quotas.ts')>,
    import('../dist/src/config/public-origin.js' as string) as Promise<typeof import('../src/config/public-origin.ts')>,
    import('../dist/src/health/companion/retrieval/find-passages.js' as string) as Promise<
      typeof import('../src/health/companion/retrieval/find-passages.ts')
    >,
    import('../dist/seeds/hosting/demo-credentials.js' as string) as Promise<
      typeof import('../seeds/hosting/demo-credentials.ts')
    >,
  ]);
  return {
    ...embedded,
    ...database,
    ...migrate,
    ...plant,
    ...demo,
    ...config,
    ...gateway,
    ...graph,
    ...logger,
    ...metrics,
    ...observe,
    ...recent,
    ...context,
    ...keys,
    ...tokens,
    ...rateLimiter,
    ...credential,
    ...sessions,
    ...lexemes,
    ...articleTallies,
    ...recommending,
    ...scores,
    ...suggested,
    ...profiles,
    ...messages,
    ...rooms,
    ...verified,
    ...accounts,
    ...credentials,
    ...appKeys,
    ...derived,
    ...hostingActor,
    ...appJwt,
    ...feedPages,
    ...eventTasks,
    ...callerAllowances,
    ...publicOrigin,
    ...passages,
    ...demoCredentials,
  };
}
