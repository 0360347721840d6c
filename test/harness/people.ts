import { PublishedSchema } from '../contract/published-schema.ts';
import type { Answer, TestGateway } from './gateway.ts';
import type { Mailbox } from './mailbox.ts';

/** An activated account of the health product with its tokens. */
export interface Person {
  id: number;
  email: string;
  password: string;
  access: string;
  refresh: string;
}

let people = 0;

/** Sends JSON, authenticated if `access` is given. A successful response must conform to the published document. */
export async function send(
  gateway: TestGateway,
  method: string,
  path: string,
  body?: unknown,
  access?: string,
): Promise<Answer> {
  const answer = await gateway.request(`/api/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  if (answer.status < 300 && answer.json !== undefined) {
    const schema = await published(gateway);
    const problems = schema.problems(method, schema.templateOf(path.replace(/\?.*/s, '')), answer.status, answer.json);
    if (problems.length > 0) throw new Error(`${method} ${path} does not answer as published: ${problems.join('; ')}`);
  }
  return answer;
}

const documents = new WeakMap<TestGateway, Promise<PublishedSchema>>();

function published(gateway: TestGateway): Promise<PublishedSchema> {
  const read =
    documents.get(gateway) ?? gateway.request('/openapi/health.json').then(({ json }) => new PublishedSchema(json));
  documents.set(gateway, read);
  return read;
}

/** The fields of a registration, unique for each call. */
export function registration(email = `person-${process.pid}-${++people}@example.org`) {
  const password = `correct horse ${people} battery`;
  return { email, first_name: 'Robin', last_name: 'Vale', password, password2: password, date_of_birth: '1990-05-04' };
}

/** Registers and activates an account through the API and the activation mail. */
export async function person(gateway: TestGateway, mails: Mailbox, email?: string): Promise<Person> {
  const form = registration(email);
  const registered = await send(gateway, 'POST', '/auth/register/', form);
  if (registered.status !== 201) throw new Error(`Registering gave ${registered.status} ${registered.text}`);
  const token = await mails.takeToken(form.email, /activate|finish/i);
  const activated = await send(gateway, 'POST', '/auth/activate/', { token });
  if (activated.status !== 201) throw new Error(`Activating gave ${activated.status} ${activated.text}`);
  const { access, refresh, user } = activated.json;
  return { id: user.id, email: form.email, password: form.password, access, refresh };
}
