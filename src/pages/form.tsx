import type { ComponentChildren, JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { VisitorContext } from './layout.tsx';

/** Hidden fields of a form by name. */
export type HiddenFields = Readonly<Record<string, string>>;

interface FormProps {
  hidden?: HiddenFields;
  action?: string | undefined;
  children: ComponentChildren;
}

/** Posts to `action`, by default the page's own address. */
export function Form({ hidden = {}, action, children }: FormProps): JSX.Element {
  return (
    <form method="post" action={action}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

/**
 * A form that the session of the visitor sends to `action`, with the page to return to. Nothing without a session: only its token
 * makes a form good.
 */
export function SessionForm({ hidden, action, children }: FormProps): JSX.Element | null {
  const { formToken, path = '/' } = useContext(VisitorContext);
  if (formToken === undefined) return null;
  return (
    <Form action={action} hidden={{ ...hidden, form_token: formToken, return_to: path }}>
      {children}
    </Form>
  );
}

interface ActionProps {
  name: string;
  /** Whether it is not what most people come for: the way back, or out. */
  isQuiet?: boolean;
  children: string;
}

/** A button that sends its name as `action`. */
export const Action = ({ name, isQuiet = false, children }: ActionProps): JSX.Element => (
  <button type="submit" name="action" value={name} class={isQuiet ? 'quiet' : undefined}>
    {children}
  </button>
);
