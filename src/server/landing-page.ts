import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';

/** The HTML of Apollo Sandbox, each time with a nonce of its own for its content security policy. */
export function landingPage(): ApolloServerPlugin {
  return {
    async serverWillStart(service) {
      const listener = await ApolloServerPluginLandingPageLocalDefault({ footer: false }).serverWillStart?.(service);
      return {
        async renderLandingPage() {
          const page = await (listener ? listener.renderLandingPage?.() : undefined);
          if (!page) throw new TypeError('Apollo Server has no landing page.');
          const { html } = page;
          return { html: async () => withLocalExplorer(typeof html === 'string' ? html : await html()) };
        },
      };
    },
  };
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
