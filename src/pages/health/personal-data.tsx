import type { JSX } from 'preact';
import { Action, SessionForm } from '../form.tsx';
import { NextPage, type PageInfo } from '../hosting/next-page.tsx';
import { Layout, Moment } from '../layout.tsx';
import { Check, SettingsNav } from './settings-form.tsx';

export interface PersonalDataProps {
  sessions: {
    pageInfo: PageInfo;
    nodes: readonly { id: string; device: string; createdAt: string; lastUsedAt: string; isCurrent: boolean }[];
  };
  accesses: {
    pageInfo: PageInfo;
    nodes: readonly { reader: string; subject: string; readOn: string; readCount: number }[];
  };
  /** Of `accesses`. */
  isFirstPage: boolean;
  /** Days until the data of a deleted account is erased. */
  eraseAfterDays: number;
  /** What is wrong with the form of the deletion. */
  problem?: string | undefined;
  /** Of the session that was ended. */
  hasEndedSession: boolean;
}

const path = '/health/data';

const subjects: Readonly<Record<string, string>> = {
  REPORT: 'a report that you sent',
  MODERATION: 'what a report or a decision about you has',
  BIRTH_DATE: 'your date of birth, which waited for a decision',
  EXPORT: 'all of your data',
};

/** `/health/data`: a copy of all data, who has read it, sessions, and the deletion of the account. */
export function PersonalDataPage(props: PersonalDataProps): JSX.Element {
  const { sessions, accesses, isFirstPage, eraseAfterDays, problem, hasEndedSession } = props;
  return (
    <Layout title="Your data">
      <h1>Your data</h1>
      <SettingsNav here={path} />
      {hasEndedSession && (
        <p class="note" role="status">
          The session has ended.
        </p>
      )}
      <h2>A copy of all</h2>
      <p class="muted">
        Everything that is stored about you. The second one has your health data in the format of clinics.
      </p>
      <SessionForm action={path}>
        <p class="actions">
          <Action name="export-json">Download as JSON</Action>{' '}
          <Action name="export-fhir" isQuiet>
            Download as FHIR R4
          </Action>
        </p>
      </SessionForm>
      <h2>Who has read your data</h2>
      <p class="muted">
        Moderators, and people who operate this server, in the past 365 days. Reads for moderation are shown 30 days
        later.
      </p>
      {accesses.nodes.length === 0 ? (
        <p>{isFirstPage ? 'Nobody.' : 'Nobody else.'}</p>
      ) : (
        <ul class="plain">
          {accesses.nodes.map(({ reader, subject, readOn, readCount }, at) => (
            <li key={at}>
              <Moment at={readOn} />: {reader === 'MODERATOR' ? 'a moderator' : 'an operator'} has read{' '}
              {subjects[subject]}
              {readCount > 1 && `, ${readCount} times`}
            </li>
          ))}
        </ul>
      )}
      <NextPage pageInfo={accesses.pageInfo} name="reads" label="Earlier reads" />
      <h2>Sessions</h2>
      <p class="muted">
        Browsers and apps that are logged in. End those that you do not know, and change your password.
      </p>
      <ul class="plain">
        {sessions.nodes.map(one => (
          <Session key={one.id} {...one} />
        ))}
      </ul>
      <NextPage pageInfo={sessions.pageInfo} name="sessions" label="Further sessions" />
      <h2>Delete the account</h2>
      <p class="muted">
        You are logged out everywhere, your consents are withdrawn, and you leave all groups at once. Your data is
        erased {eraseAfterDays === 0 ? 'the following night' : `after ${eraseAfterDays} days`}. This cannot be undone
        here.
      </p>
      <SessionForm action={path}>
        <Check name="confirm" label="Delete my account and all of its data" isOn={false} problem={problem} />
        <p>
          <Action name="delete">Delete the account</Action>
        </p>
      </SessionForm>
    </Layout>
  );
}

function Session({
  id,
  device,
  createdAt,
  lastUsedAt,
  isCurrent,
}: PersonalDataProps['sessions']['nodes'][number]): JSX.Element {
  const name = device || 'Unknown device';
  return (
    <li class="with-action">
      <span>
        <strong>{name}</strong> {isCurrent && <span class="badge">this browser</span>}
        <br />
        <span class="muted">
          since <Moment at={createdAt} />, last used <Moment at={lastUsedAt} />
        </span>
      </span>
      <SessionForm action={path} hidden={{ session: id }}>
        <button type="submit" name="action" value="end-session" class="quiet" aria-label={`Log out ${name}`}>
          Log out
        </button>
      </SessionForm>
    </li>
  );
}
