/** One of a few, side by side. */
export interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
}

export function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className="group">
      <legend>{label}</legend>
      <div className="segments">
        {options.map(([name, words]) => (
          <label key={name}>
            <input type="radio" name={label} checked={name === value} onChange={() => onChange(name)} />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
