import type { JSX } from 'preact';

/** What is wrong, by the name of the field. */
export type Problems = Readonly<Record<string, string>>;

const pages = [
  ['/health/privacy', 'Privacy'],
  ['/health/data', 'Your data'],
  ['/health', 'Your health'],
] as const;

/** The way between the pages of settings. */
export const SettingsNav = ({ here }: { here: string }): JSX.Element => (
  <nav class="sections" aria-label="Settings">
    {pages.map(([path, name]) => (
      <a key={path} href={path} aria-current={path === here ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);

interface ControlProps {
  name: string;
  label: string;
  hint?: string | undefined;
  problem?: string | undefined;
}

/** The explanation and the problem of a control, which name it for screen readers. */
function Help({ name, hint, problem }: Omit<ControlProps, 'label'>): JSX.Element {
  return (
    <>
      {hint && (
        <span class="hint" id={`${name}-hint`}>
          {hint}
        </span>
      )}
      {problem && (
        <span class="problem" id={`${name}-problem`}>
          {problem}
        </span>
      )}
    </>
  );
}

const describedBy = ({ name, hint, problem }: Omit<ControlProps, 'label'>) => ({
  'aria-describedby':
    [hint && `${name}-hint`, problem && `${name}-problem`].filter(one => one !== undefined).join(' ') || undefined,
  'aria-invalid': problem ? ('true' as const) : undefined,
});

/** A line of text with its label. */
export function Field({
  label,
  value,
  maxLength,
  ...help
}: ControlProps & { value: string; maxLength: number }): JSX.Element {
  return (
    <p>
      <label for={help.name}>{label}</label>
      <input id={help.name} name={help.name} value={value} maxLength={maxLength} {...describedBy(help)} />
      <Help {...help} />
    </p>
  );
}

/** A box to tick, with its label. */
export function Check({ label, isOn, ...help }: ControlProps & { isOn: boolean }): JSX.Element {
  return (
    <p class="check">
      <input type="checkbox" id={help.name} name={help.name} value="on" checked={isOn} {...describedBy(help)} />
      <label for={help.name}>{label}</label>
      <Help {...help} />
    </p>
  );
}
