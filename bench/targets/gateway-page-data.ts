import { registerHooks } from 'node:module';
import type { Target } from '../target.ts';
import { start as startGateway } from './gateway.ts';

/** In place of the templates: the body of the operation as JSON, as an endpoint of REST sends it. */
const withoutTemplates = `
  export const renderPage = (operation, body) => ({ text: JSON.stringify(body) });
  export const renderProblem = status => String(status);
`;

/** The gateway, whose pages answer what their operations give. */
export const start: Target = url => {
  registerHooks({
    load: (module, context, next) =>
      module.endsWith('/dist/src/pages/render-page.js')
        ? { format: 'module', source: withoutTemplates, shortCircuit: true }
        : next(module, context),
  });
  return startGateway(url);
};
