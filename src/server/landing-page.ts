/** Makes the HTML of Apollo Sandbox, each time with a nonce of its own for its content security policy. */
export type LandingPage = () => Promise<string>;

/** Loads the module when the page is first requested: it is the only part of Apollo Server in use. */
export async function loadLandingPage(): Promise<LandingPage> {
  const { ApolloServerPluginLandingPageLocalDefault } = await import('@apollo/server/plugin/landingPage/default');
  const listener = await ApolloServerPluginLandingPageLocalDefault({ footer: false }).serverWillStart?.({} as never);
  const page = await (listener ? listener.renderLandingPage?.() : undefined);
  if (!page) throw new TypeError('Apollo Server has no landing page.');
  const { html } = page;
  return async () => withLocalExplorer(typeof html === 'string' ? html : await html());
}

/** Leads to the explorer of this server where Sandbox does not load: without the Internet, or within `waitMs`. */
function withLocalExplorer(html: string): string {
  const [, nonce = ''] = /nonce="([^"]+)"/.exec(html) ?? [];
  const script = `<script nonce="${nonce}">
const toLocalExplorer = () => location.replace('/graphiql');
addEventListener('error', ({ target }) => { if (target.tagName === 'SCRIPT') toLocalExplorer(); }, true);
setTimeout(() => { if (!window.EmbeddedSandbox) toLocalExplorer(); }, ${waitMs});
</script>`;
  return html.replace('<head>', `<head>${script}`);
}

const waitMs = 6_000;
