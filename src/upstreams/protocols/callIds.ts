/** Converts a call id to one that the server accepts. Calls and results are converted alike. */
export type CallIds = (id: string) => string

export const anyId: CallIds = (id) => id

/** Anthropic's pattern; Kimi and vLLM write `functions.get_weather:0`. */
export const anthropicId: CallIds = (id) => (legal.test(id) ? id : id.replaceAll(/[^A-Za-z0-9_-]/g, "_"))

const legal = /^[A-Za-z0-9_-]*$/

/** OpenAI's length limit (40 characters in chat completions, 64 in responses). Some proxies hide signatures in ids. */
export const atMost =
  (characters: number): CallIds =>
  (id) =>
    id.length <= characters ? id : `call_${Bun.hash(id).toString(36)}`

/** The ids of an answer's calls. */
export class TakenIds {
  readonly #ids = new Set<string>()
  #count = 0

  /** The id of the next call: the upstream's own, unless it is missing or taken. */
  fresh(wanted: string, answerId: string): string {
    const isFree = wanted !== "" && !this.#ids.has(wanted)
    // The answer's id makes it unique across turns.
    const id = isFree ? wanted : `call_${answerId.slice(0, 64).replaceAll(/[^A-Za-z0-9]/g, "")}_${this.#count}`
    this.#count++
    this.#ids.add(id)
    return id
  }
}

/** Mistral accepts nine letters or digits and nothing else (400, code 3280). */
export const nineCharacters: CallIds = (id) =>
  nine.test(id) ? id : Bun.hash(id).toString(36).padStart(9, "0").slice(-9)

const nine = /^[A-Za-z0-9]{9}$/
