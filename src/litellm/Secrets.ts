const reference = "os.environ/"

/** The variable that `os.environ/NAME` names. */
export const namedVariable = (value: string): string | undefined =>
  value.startsWith(reference) ? value.slice(reference.length) : undefined

/** Secrets that stand in LiteLLM's files or database, as variables: `gateway.yaml` names them only. */
export class Secrets {
  readonly #values = new Map<string, string>()

  get values(): ReadonlyMap<string, string> {
    return this.#values
  }

  /**
   * A secret as `gateway.yaml` writes it.
   *
   * @param value the secret, or `os.environ/NAME`
   * @param usual the variable's name; with a number behind it if another secret has it
   */
  written(value: string, usual: string): string {
    return `\${${namedVariable(value) ?? this.#variable(value, usual)}}`
  }

  /** Keeps a variable under its own name. */
  keep(name: string, value: string): void {
    this.#values.set(name, value)
  }

  #variable(value: string, usual: string): string {
    for (let count = 1; ; count++) {
      const name = count === 1 ? usual : `${usual}_${count}`
      const known = this.#values.get(name)
      if (known === undefined) this.#values.set(name, value)
      if (known === undefined || known === value) return name
    }
  }
}
