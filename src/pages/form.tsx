import type { ComponentChildren, JSX } from 'preact';

/** Hidden fields of a form by name. */
export type HiddenFields = Readonly<Record<string, string>>;

interface FormProps {
  hidden?: HiddenFields;
  action?: string;
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

/** A button that sends its name as `action`. */
export const Action = ({ name, children }: { name: string; children: string }): JSX.Element => (
  <button type="submit" name="action" value={name}>
    {children}
  </button>
);
