/** Converts a call id to one that the server accepts. Calls and results are converted alike. */
export type CallIds = (id: string) => string

export const anyId: CallIds = (id) => id

/** Anthropic's pattern; Kimi and vLLM write `functions.get_weather:0`. Two ids never become one. */
export const anthropicId: CallIds = (id) =>
  legal.test(id) ? id : `${id.replaceAll(/[^A-Za-z0-9_-]/g, "_")}_${Bun.hash(id).toString(36)}`

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
  #salt: string | undefined

  /** The id of the next call: the upstream's own, unless it is missing or taken. */
  fresh(wanted: string, answerId: string): string {
    const isFree = wanted !== "" && !this.#ids.has(wanted) && !counted.test(wanted)
    const id = isFree ? wanted : `call_${this.#salted(answerId)}_${this.#count}`
    this.#count++
    this.#ids.add(id)
    return id
  }

  /** Makes ids unique across turns. */
  #salted(answerId: string): string {
    this.#salt ??= answerId.slice(0, 64).replaceAll(/[^A-Za-z0-9]/g, "") || crypto.randomUUID().replaceAll("-", "")
    return this.#salt
  }
}

/** Ids that count the calls of one answer, so that every turn has the same ones (OpenRouter, Google's servers). */
const counted = /^(?:call__|tool_)\d/

/** Mistral accepts nine letters or digits and nothing else (400, code 3280). */
export const nineCharacters: CallIds = (id) =>
  nine.test(id) ? id : Bun.hash(id).toString(36).padStart(9, "0").slice(-9)

const nine = /^[A-Za-z0-9]{9}$/
