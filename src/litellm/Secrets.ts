const reference = "os.environ/"

/** The variable that `os.environ/NAME` names. */
export const namedVariable = (value: string): string | undefined =>
  value.startsWith(reference) ? value.slice(reference.length) : undefined

const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** True for a variable that an import may set or name: not one of the gateway's own, and one that it can read. */
export const isFreeVariable = (name: string): boolean => isName(name) && !name.startsWith("GATEWAY_")

/**
 * Why a text, or one in an object or a list, can't stand in `gateway.yaml`, where `${NAME}` is a variable; undefined if all
 * can. Models of LiteLLM's database are not the operator's words: they must not send the gateway's secrets anywhere.
 */
export const unwritable = (value: unknown): string | undefined => {
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).reduce<string | undefined>(
      (found, [name, one]) => found ?? unwritable(name) ?? unwritable(one),
      undefined
    )
  }
  if (typeof value !== "string") return undefined
  const [reference] = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.exec(value) ?? []
  if (reference !== undefined) return `has ${reference}, which is a variable in gateway.yaml: not imported`
  const name = namedVariable(value)
  return name === undefined || isFreeVariable(name)
    ? undefined
    : `names the variable ${JSON.stringify(name)}, which can't be had or is the gateway's own: not imported`
}

/** Secrets that stand in LiteLLM's files or database, as variables: `gateway.yaml` names them only. */
export class Secrets {
  readonly #values = new Map<string, string>()
  /** Of those that were made here, by their usual name and their value; and the last number of each name. */
  readonly #made = new Map<string, string>()
  readonly #last = new Map<string, number>()

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

  #variable(value: string, wanted: string): string {
    // A host may begin with a digit, or have the name of a variable of the gateway's own.
    const usual = isFreeVariable(wanted) ? wanted : `UPSTREAM_${wanted}`
    const made = JSON.stringify([usual, value])
    const known = this.#made.get(made)
    if (known !== undefined) return known
    for (let count = (this.#last.get(usual) ?? 0) + 1; ; count++) {
      const name = count === 1 ? usual : `${usual}_${count}`
      if (this.#values.has(name) && this.#values.get(name) !== value) continue
      this.#values.set(name, value)
      this.#made.set(made, name)
      this.#last.set(usual, count)
      return name
    }
  }
}
