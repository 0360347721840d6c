import type { JSX } from 'preact';
import { Action, SessionForm } from '../form.tsx';
import { NextPage, type PageInfo } from '../hosting/next-page.tsx';
import { Layout, Moment } from '../layout.tsx';
import { Check, Field, type Problems, SettingsNav } from './settings-form.tsx';

/** Who sees a condition: nobody, connected people, or people who are suggested as well. */
export const visibilities = { private: 'only me', peers: 'people I am connected with', suggestions: 'suggestions too' };
export type Visibility = keyof typeof visibilities;

export interface ShownCondition {
  text: string;
  visibility: Visibility;
}

export interface ConsentEntry {
  /** In words. */
  purpose: string;
  subject: string;
  provider: string | null;
  givenAt: string | null;
  withdrawnAt: string | null;
}

export interface PrivacyProps {
  displayName: string;
  fullName: string;
  /** In years; null where it is not known. */
  age: number | null;
  isVisible: boolean;
  conditions: readonly ShownCondition[];
  /** Host of the language model; null where none is configured. */
  provider: string | null;
  sharesMessages: boolean;
  sharesProfile: boolean;
  /** What a person reads before a decision, by purpose. */
  texts: Readonly<Record<string, string>>;
  decisions: { consents: readonly ConsentEntry[]; pageInfo: PageInfo };
  problems: Problems;
  isSaved: boolean;
}

/** Whom the age lets a person meet. */
function AgeRule({ age }: Pick<PrivacyProps, 'age'>): JSX.Element {
  if (age === null)
    return (
      <p class="note">
        Your date of birth is not known. Until you give it, you can be connected with nobody: people below 18 and adults
        are kept apart.
      </p>
    );
  return (
    <p class="muted">
      {age < 18
        ? 'You are below 18: only people below 18 can find you, and no adult can ask to connect or write to you.'
        : 'Only adults can find you. People below 18 can neither find you nor be found by you.'}
    </p>
  );
}

/** `/health/privacy`: what others see, and what is sent to whom. */
export function PrivacyPage(props: PrivacyProps): JSX.Element {
  const { displayName, fullName, age, isVisible, conditions, provider, texts, problems, isSaved } = props;
  const isWrong = Object.keys(problems).length > 0;
  return (
    <Layout title="Privacy">
      <h1>Privacy</h1>
      <SettingsNav here="/health/privacy" />
      {isSaved && (
        <p class="note" role="status">
          Your settings are saved. What you have withdrawn has no effect any more.
        </p>
      )}
      {isWrong && <p role="alert">Nothing was saved. Correct what is marked below, and save again.</p>}
      <SessionForm action="/health/privacy">
        <h2>Your name</h2>
        <Field
          name="displayName"
          label="Display name"
          value={displayName}
          maxLength={100}
          hint={`What others see in place of «${fullName}». Without one, people whom you are not connected with see the first name and the first letter of the last.`}
          problem={problems.displayName}
        />
        <h2>Community</h2>
        <AgeRule age={age} />
        <Check
          name="isVisibleInCommunity"
          label="Others can find me"
          isOn={isVisible}
          hint={texts.community}
          problem={problems.isVisibleInCommunity}
        />
        <h2>Conditions and symptoms</h2>
        <p class="muted">Each is private until you show it.</p>
        <dl class="facts">
          <dt>{visibilities.peers}</dt>
          <dd>{texts.condition_for_peers}</dd>
          <dt>{visibilities.suggestions}</dt>
          <dd>{texts.condition_for_suggestions}</dd>
        </dl>
        {conditions.length === 0 && <p>Your profile has no conditions and symptoms.</p>}
        {conditions.map(({ text, visibility }, at) => (
          <p key={text}>
            <label for={`visibility.${at}`}>{text}</label>
            <input type="hidden" name={`condition.${at}`} value={text} />
            <select id={`visibility.${at}`} name={`visibility.${at}`}>
              {Object.entries(visibilities).map(([value, label]) => (
                <option key={value} value={value} selected={value === visibility}>
                  {label}
                </option>
              ))}
            </select>
          </p>
        ))}
        {[problems.conditionsForPeers, problems.conditionsForSuggestions].map(one => one && <p role="alert">{one}</p>)}
        <h2>Language model</h2>
        {provider === null ? (
          <p class="muted">This server uses no language model. Nothing that you write leaves it.</p>
        ) : (
          <>
            <p class="muted">
              The provider is <strong>{provider}</strong>. Without your consent the companion answers from the articles.
            </p>
            <Check
              name="areMessagesSharedWithAi"
              label="Send my messages"
              isOn={props.sharesMessages}
              hint={texts.messages_to_model}
            />
            <Check
              name="isProfileSharedWithAi"
              label="Send data of my profile with them"
              isOn={props.sharesProfile}
              hint={texts.profile_to_model}
            />
          </>
        )}
        <p>
          <Action name="save">Save</Action>
        </p>
      </SessionForm>
      <h2>Your decisions so far</h2>
      <Decisions {...props.decisions} />
    </Layout>
  );
}

function Decisions({ consents, pageInfo }: PrivacyProps['decisions']): JSX.Element {
  if (consents.length === 0) return <p class="muted">None.</p>;
  return (
    <>
      <ul class="plain">
        {consents.map(({ purpose, subject, provider, givenAt, withdrawnAt }, at) => (
          <li key={at}>
            <strong>{purpose}</strong>
            {subject !== '' && `: ${subject}`}
            {provider !== null && `, ${provider}`}
            <br />
            <span class="muted">
              {givenAt === null ? (
                'refused'
              ) : (
                <>
                  given <Moment at={givenAt} />
                </>
              )}
              {withdrawnAt !== null && (
                <>
                  {givenAt === null ? ' ' : ', withdrawn '}
                  <Moment at={withdrawnAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <NextPage pageInfo={pageInfo} label="Earlier decisions" />
    </>
  );
}
