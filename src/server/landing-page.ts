/** Makes the HTML of Apollo Sandbox, each time with a nonce of its own for its content security policy. */
export type LandingPage = () => Promise<string>;

/** Loads the module when the page is first requested: it is the only part of Apollo Server in use. */
export async function loadLandingPage(): Promise<LandingPage> {
  const { ApolloServerPluginLandingPageLocalDefault } = await import('@apollo/server/plugin/landingPage/default');
  const listener = await ApolloServerPluginLandingPageLocalDefault({ footer: false }).serverWillStart?.({} as never);
  const page = await (listener ? listener.renderLandingPage?.() : undefined);
  if (!page) throw new TypeError('Apollo Server has no landing page.');
  const { html } = page;
  return async () => (typeof html === 'string' ? html : html());
}
