/** What tokens of a benchmark are signed with. */
export const benchSecret = 'a secret for benchmarks, and for nothing else';

/**
 * The compiled tree, typed by the sources it was compiled from. Not the sources themselves: the models use decorators,
 * which Node does not strip, and what is measured must be what `npm start` runs.
 */
export async function built() {
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
    context,
    keys,
    tokens,
    throttle,
    credential,
    sessions,
    lexemes,
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
    requestLimits,
    publicOrigin,
  ] = await Promise.all([
    import('../dist/src/db/embedded.js' as string) as Promise<typeof import('../src/db/embedded.ts')>,
    import('../dist/src/db/database.js' as string) as Promise<typeof import('../src/db/database.ts')>,
    import('../dist/src/db/migrate.js' as string) as Promise<typeof import('../src/db/migrate.ts')>,
    import('../dist/src/db/plant.js' as string) as Promise<typeof import('../src/db/plant.ts')>,
    import('../dist/seeds/demo.js' as string) as Promise<typeof import('../seeds/demo.ts')>,
    import('../dist/src/config/config.js' as string) as Promise<typeof import('../src/config/config.ts')>,
    import('../dist/src/server/gateway.js' as string) as Promise<typeof import('../src/server/gateway.ts')>,
    import('../dist/src/server/graph.js' as string) as Promise<typeof import('../src/server/graph.ts')>,
    import('../dist/src/server/logger.js' as string) as Promise<typeof import('../src/server/logger.ts')>,
    import('../dist/src/server/metrics.js' as string) as Promise<typeof import('../src/server/metrics.ts')>,
    import('../dist/src/server/observe.js' as string) as Promise<typeof import('../src/server/observe.ts')>,
    import('../dist/src/context/context.js' as string) as Promise<typeof import('../src/context/context.ts')>,
    import('../dist/src/auth/keys.js' as string) as Promise<typeof import('../src/auth/keys.ts')>,
    import('../dist/src/auth/tokens.js' as string) as Promise<typeof import('../src/auth/tokens.ts')>,
    import('../dist/src/limits/open-throttle.js' as string) as Promise<typeof import('../src/limits/open-throttle.ts')>,
    import('../dist/src/auth/credential.js' as string) as Promise<typeof import('../src/auth/credential.ts')>,
    import('../dist/src/auth/sessions.js' as string) as Promise<typeof import('../src/auth/sessions.ts')>,
    import('../dist/src/health/articles/lexemes.js' as string) as Promise<
      typeof import('../src/health/articles/lexemes.ts')
    >,
    import('../dist/src/health/recommendations/recommend-articles.js' as string) as Promise<
      typeof import('../src/health/recommendations/recommend-articles.ts')
    >,
    import('../dist/src/health/recommendations/score-articles.js' as string) as Promise<
      typeof import('../src/health/recommendations/score-articles.ts')
    >,
    import('../dist/src/health/community/suggested-peers.queries.js' as string) as Promise<
      typeof import('../src/health/community/suggested-peers.queries.ts')
    >,
    import('../dist/src/health/profiles/refresh-terms.js' as string) as Promise<
      typeof import('../src/health/profiles/refresh-terms.ts')
    >,
    import('../dist/src/health/chat/messages.queries.js' as string) as Promise<
      typeof import('../src/health/chat/messages.queries.ts')
    >,
    import('../dist/src/health/chat/rooms.js' as string) as Promise<typeof import('../src/health/chat/rooms.ts')>,
    import('../dist/src/auth/credentials/verified-credentials.js' as string) as Promise<
      typeof import('../src/auth/credentials/verified-credentials.ts')
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
    import('../dist/src/limits/caller-allowances.js' as string) as Promise<
      typeof import('../src/limits/caller-allowances.ts')
    >,
    import('../dist/src/limits/request-limits.js' as string) as Promise<
      typeof import('../src/limits/request-limits.ts')
    >,
    import('../dist/src/config/public-origin.js' as string) as Promise<typeof import('../src/config/public-origin.ts')>,
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
    ...context,
    ...keys,
    ...tokens,
    ...throttle,
    ...credential,
    ...sessions,
    ...lexemes,
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
    ...requestLimits,
    ...publicOrigin,
  };
}
