import { sql } from 'kysely';
import { demoCredentials } from '../../seeds/health/people.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Answer, TestGateway } from '../harness/gateway.ts';
import type { Mailbox } from '../harness/mailbox.ts';
import { type Person, person, send } from '../harness/people.ts';
import { testSecret } from '../harness/secret.ts';

/** A request of an operation of the health contract that succeeds. */
export interface HealthCall {
  /** Below `/api/v1`. */
  path: string;
  body?: Record<string, unknown>;
  access?: string;
}

/** The demo data and its people; their access tokens are sent with requests. */
export interface HealthWorld {
  amira: string;
  chiara: string;
  /** Sends a request of amira that must succeed. */
  ask(method: string, path: string, body?: unknown, access?: string): Promise<Answer['json']>;
  /** A new activated account. */
  person(): Promise<Person>;
  /** A new account that is not activated, with the token of its mail. */
  registered(): Promise<{ email: string; token: string }>;
  /** The token of the next mail to an address. */
  mailedToken(email: string): Promise<string>;
}

/** Form of a registration. */
const form = {
  first_name: 'Robin',
  last_name: 'Vale',
  password: 'correct horse battery',
  password2: 'correct horse battery',
};

export async function healthWorld(gateway: TestGateway, mails: Mailbox): Promise<HealthWorld> {
  // The advertisement of an answer is chosen at random.
  await sql`delete from ad where id <> (select min(id) from ad)`.execute(gateway.database.sql);
  const people = demoCredentials(deriveKeys(readConfig({ SECRET_KEY: testSecret })));
  let made = 0;
  const ask: HealthWorld['ask'] = async (method, path, body, access) => {
    const answer = await send(gateway, method, path, body, access);
    if (answer.status >= 300) throw new Error(`${method} ${path} is answered ${answer.status}: ${answer.text}`);
    return answer.json;
  };
  const open = async (name: 'amira' | 'chiara'): Promise<string> =>
    (await ask('POST', '/auth/login/', people[name])).access;
  const amira = await open('amira');
  return {
    amira,
    chiara: await open('chiara'),
    ask: (method, path, body, access = amira) => ask(method, path, body, access),
    person: () => person(gateway, mails, `robin-${++made}@example.org`),
    async registered() {
      const email = `robin-${++made}@example.org`;
      await ask('POST', '/auth/register/', { ...form, email });
      return { email, token: await mails.takeToken(email, /activate|finish/i) };
    },
    mailedToken: email => mails.takeToken(email, /./),
  };
}

type Make = (world: HealthWorld) => Promise<HealthCall>;

/** A request of amira. */
const asAmira =
  (path: string, body?: Record<string, unknown>): Make =>
  async ({ amira: access }) => ({ path, access, ...(body ? { body } : {}) });
const open =
  (path: string, body?: Record<string, unknown>): Make =>
  async () => ({ path, ...(body ? { body } : {}) });

/** A request of amira below the first row of a list, or below what a request makes. */
const below =
  (list: string, suffix: string, body?: Record<string, unknown>): Make =>
  async ({ ask, amira: access }) => {
    const found = await ask('GET', list);
    const [first] = Array.isArray(found) ? found : found.results;
    return { path: `${list}${first.id}/${suffix}`, access, ...(body ? { body } : {}) };
  };
const belowNew =
  (list: string, made: Record<string, unknown>, suffix: string, body?: Record<string, unknown>): Make =>
  async ({ ask, amira: access }) => ({
    path: `${list}${(await ask('POST', list, made)).id}/${suffix}`,
    access,
    ...(body ? { body } : {}),
  });

const guestSymptoms = { symptoms: ['sore throat', 'cough'], symptom_duration: '3 days' };
const symptoms = { ...guestSymptoms, sex_at_birth: 'female', age: 34 };
const goal = { goal_type: 'steps', target_value: '8000', description: 'A walk after lunch' };
const vitals = { systolic_bp: 124, diastolic_bp: 79, heart_rate: 68 };
const symptom = { symptom_name: 'Headache', severity: 4, body_location: 'forehead' };
const chatGroup = { name: 'Morning walkers', description: 'We meet at seven.', visibility: 'open' };
const communityGroup = { name: 'Swimming for the back', description: 'Twice a week.', condition_tags: ['back pain'] };

/** A message of amira in the first of her private chats. */
const sentMessage = async ({ ask }: HealthWorld): Promise<{ chat: string; id: number; peer: number }> => {
  const [chat] = await ask('GET', '/chat/private/');
  const { id } = await ask('POST', `/chat/private/${chat.id}/messages/`, { content: 'See you there.' });
  return { chat: chat.id, id, peer: chat.peer.id };
};

/** A request of every operation of the health contract, by the name of the operation. */
export const healthCalls: Record<string, Make> = {
  GetAd: asAmira('/ads/'),
  ClickAd: async ({ ask, amira: access }) => ({
    path: `/ads/${(await ask('GET', '/ads/')).id}/click/`,
    access,
  }),
  ListArticles: open('/articles/?search=sleep&page_size=1'),
  GetArticle: open('/articles/25/'),
  ListComments: asAmira('/articles/25/comments/'),
  WriteComment: asAmira('/articles/25/comments/', { text: 'The part on evening light helped me.' }),
  DeleteComment: belowNew('/articles/25/comments/', { text: 'Too early.' }, ''),
  ListBookmarks: asAmira('/articles/bookmarks/?page_size=1'),
  ToggleBookmark: asAmira('/articles/25/bookmark/'),
  ToggleLike: asAmira('/articles/25/like/'),
  ListRecommendedArticles: asAmira('/articles/recommended/?page_size=1'),
  DismissRecommended: async ({ ask, amira }) => {
    const { results } = await ask('GET', '/articles/recommended/');
    return { path: `/articles/recommended/${results[0].recommendation_id}/dismiss/`, access: amira };
  },
  AssessAsGuest: open('/assessments/guest/', guestSymptoms),
  CreateAssessment: asAmira('/assessments/', { ...symptoms, severity: 4 }),
  ListAssessments: asAmira('/assessments/'),
  GetAssessment: below('/assessments/', ''),
  DeleteAssessment: belowNew('/assessments/', symptoms, ''),
  Register: open('/auth/register/', { email: 'ada@example.org', ...form }),
  ResendActivation: async world => ({
    path: '/auth/resend-activation/',
    body: { email: (await world.registered()).email },
  }),
  Activate: async world => ({ path: '/auth/activate/', body: { token: (await world.registered()).token } }),
  Login: async world => {
    const { email, password } = await world.person();
    return { path: '/auth/login/', body: { email, password } };
  },
  StartGuest: open('/auth/guest/'),
  RefreshToken: async world => ({
    path: '/auth/token/refresh/',
    body: { refresh: (await world.person()).refresh },
  }),
  Logout: async world => {
    const { access, refresh } = await world.person();
    return { path: '/auth/logout/', access, body: { refresh } };
  },
  RequestPasswordReset: async world => ({
    path: '/auth/password/reset/',
    body: { email: (await world.person()).email },
  }),
  ConfirmPasswordReset: async world => {
    const { email } = await world.person();
    await world.ask('POST', '/auth/password/reset/', { email });
    const token = await world.mailedToken(email);
    return {
      path: '/auth/password/reset/confirm/',
      body: { token, new_password: 'a longer horse staple', new_password2: 'a longer horse staple' },
    };
  },
  ChangePassword: async world => {
    const { access, password } = await world.person();
    const body = {
      old_password: password,
      new_password: 'a longer horse staple',
      new_password2: 'a longer horse staple',
    };
    return { path: '/auth/password/change/', access, body };
  },
  GetMe: asAmira('/auth/me/'),
  UpdateMe: asAmira('/auth/me/', { height_cm: '168.00', has_diabetes: 'Y', time_zone: 'Europe/Madrid' }),
  ExportMe: asAmira('/auth/me/export/'),
  ExportMeAsFhir: asAmira('/auth/me/export/fhir/'),
  ListConsents: asAmira('/auth/me/consents/'),
  ListSessions: async world => {
    const { access } = await world.person();
    return { path: '/auth/me/sessions/', access };
  },
  EndSession: async world => {
    const { access, email, password } = await world.person();
    const [{ id }] = (await world.ask('GET', '/auth/me/sessions/', undefined, access)).results;
    const other = await world.ask('POST', '/auth/login/', { email, password });
    return { path: `/auth/me/sessions/${id}/`, access: other.access };
  },
  ListDataAccesses: asAmira('/auth/me/data-accesses/?page_size=1'),
  DeleteMe: async world => {
    const { access, refresh } = await world.person();
    return { path: '/auth/me/delete/', access, body: { refresh } };
  },
  AskCompanion: asAmira('/chat/ai/', { message: 'How much should I walk each day?' }),
  ListCompanionHistory: asAmira('/chat/ai/history/?page_size=1'),
  ClearCompanionHistory: async world => ({
    path: '/chat/ai/history/',
    access: (await world.person()).access,
  }),
  CreateChatGroup: asAmira('/chat/groups/', chatGroup),
  ListChatGroups: asAmira('/chat/groups/'),
  DiscoverChatGroups: asAmira('/chat/groups/discover/'),
  GetChatGroup: below('/chat/groups/', ''),
  JoinChatGroup: async ({ ask, chiara }) => ({
    path: `/chat/groups/${(await ask('POST', '/chat/groups/', chatGroup)).id}/join/`,
    access: chiara,
  }),
  LeaveChatGroup: belowNew('/chat/groups/', chatGroup, 'leave/'),
  ListGroupMessages: below('/chat/groups/', 'messages/?page_size=1'),
  SendGroupMessage: below('/chat/groups/', 'messages/', { content: 'Good morning.' }),
  ListPrivateChats: asAmira('/chat/private/'),
  StartPrivateChat: async world => {
    const { peer } = await sentMessage(world);
    return { path: '/chat/private/', access: world.amira, body: { user_id: peer } };
  },
  ListPrivateMessages: below('/chat/private/', 'messages/?page_size=1'),
  SendPrivateMessage: below('/chat/private/', 'messages/', { content: 'Shall we walk on Sunday?' }),
  ListDirectMessages: async world => {
    const { peer } = await sentMessage(world);
    return { path: `/chat/direct/${peer}/messages/?page_size=1`, access: world.amira };
  },
  SendDirectMessage: async world => {
    const { peer } = await sentMessage(world);
    return { path: `/chat/direct/${peer}/messages/`, access: world.amira, body: { content: 'On my way.' } };
  },
  SendMessage: async world => {
    const { chat } = await sentMessage(world);
    return { path: '/chat/messages/', access: world.amira, body: { chat_id: chat, content: 'Thank you.' } };
  },
  DeleteChatMessage: async world => {
    const { id } = await sentMessage(world);
    return { path: `/chat/messages/${id}/`, access: world.amira };
  },
  ListChatUsers: asAmira('/chat/users/'),
  ListPeerConnections: asAmira('/community/peers/connections/?page_size=1'),
  ListPeerRequests: asAmira('/community/peers/requests/'),
  ListSuggestedPeers: asAmira('/community/peers/suggested/'),
  ConnectPeer: async ({ ask, amira: access }) => {
    // Calls before may have changed what she shows.
    const shown = ['type 2 diabetes', 'fatigue', 'thirst'];
    await ask('PATCH', '/auth/me/', {
      conditions: shown.slice(0, 1),
      symptoms: shown.slice(1),
      is_visible_in_community: true,
      conditions_for_suggestions: shown,
    });
    const [suggested] = await ask('GET', '/community/peers/suggested/');
    const body = { receiver_id: suggested.user.id, match_reason: 'We walk at the same time.' };
    return { path: '/community/peers/connect/', access, body };
  },
  AnswerPeerConnection: async ({ ask, amira: access }) => {
    const [request] = await ask('GET', '/community/peers/requests/');
    return { path: `/community/peers/${request.id}/`, access, body: { status: 'accepted' } };
  },
  CreateCommunityGroup: asAmira('/community/groups/', communityGroup),
  ListCommunityGroups: asAmira('/community/groups/'),
  GetCommunityGroup: below('/community/groups/', ''),
  JoinCommunityGroup: async ({ chiara, ask }) => {
    const { id } = await ask('POST', '/community/groups/', { ...communityGroup, name: 'Swimming for the neck' });
    return { path: `/community/groups/${id}/join/`, access: chiara };
  },
  LeaveCommunityGroup: async ({ chiara, ask }) => {
    const { id } = await ask('POST', '/community/groups/', { ...communityGroup, name: 'Swimming for the knee' });
    await ask('POST', `/community/groups/${id}/join/`, undefined, chiara);
    return { path: `/community/groups/${id}/leave/`, access: chiara };
  },
  CreateHealthGoal: asAmira('/health/goals/', goal),
  ListHealthGoals: asAmira('/health/goals/?page_size=1'),
  GetHealthGoal: below('/health/goals/', ''),
  ReplaceHealthGoal: belowNew('/health/goals/', goal, '', { ...goal, target_value: '9000' }),
  UpdateHealthGoal: belowNew('/health/goals/', goal, '', { current_value: '6500' }),
  DeleteHealthGoal: belowNew('/health/goals/', goal, ''),
  LogSymptom: asAmira('/health/symptoms/', symptom),
  ListSymptomLogs: asAmira('/health/symptoms/?page_size=1'),
  GetSymptomLog: below('/health/symptoms/', ''),
  DeleteSymptomLog: belowNew('/health/symptoms/', symptom, ''),
  RecordVitals: asAmira('/health/vitals/', vitals),
  ListVitalReadings: asAmira('/health/vitals/?page_size=1'),
  GetVitalReading: below('/health/vitals/', ''),
  DeleteVitals: belowNew('/health/vitals/', vitals, ''),
  GetHealthDashboard: asAmira('/health/dashboard/'),
  LatestHealthSummary: asAmira('/health/summaries/latest/'),
  ListHealthSummaries: asAmira('/health/summaries/?page_size=1'),
};
