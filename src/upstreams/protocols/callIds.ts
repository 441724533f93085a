/** A call's id as a server takes it; calls and results are mapped alike. */
export type CallIds = (id: string) => string

export const anyId: CallIds = (id) => id

/** Anthropic's pattern; Kimi and vLLM write `functions.get_weather:0`. */
export const anthropicId: CallIds = (id) => (legal.test(id) ? id : id.replaceAll(/[^A-Za-z0-9_-]/g, "_"))

const legal = /^[A-Za-z0-9_-]*$/

/** OpenAI takes no longer ones (40 characters in chat completions, 64 in responses); some proxies hide signatures in them. */
export const atMost =
  (characters: number): CallIds =>
  (id) =>
    id.length <= characters ? id : `call_${Bun.hash(id).toString(36)}`

/** The ids of the calls that an answer has begun. */
export class TakenIds {
  readonly #ids = new Set<string>()
  #count = 0

  /** The next call's: the upstream's own unless it is missing, or that of an earlier one. */
  fresh(wanted: string, answerId: string): string {
    const isFree = wanted !== "" && !this.#ids.has(wanted)
    // The id of the answer makes it differ from those of other turns.
    const id = isFree ? wanted : `call_${answerId.slice(0, 64).replaceAll(/[^A-Za-z0-9]/g, "")}_${this.#count}`
    this.#count++
    this.#ids.add(id)
    return id
  }
}

/** Mistral takes nine letters or digits and nothing else (400, code 3280). */
export const nineCharacters: CallIds = (id) =>
  nine.test(id) ? id : Bun.hash(id).toString(36).padStart(9, "0").slice(-9)

const nine = /^[A-Za-z0-9]{9}$/
