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

/** The id of a call that an answer begins: the upstream's own unless it is missing, or that of an earlier one. */
export const freshId = (taken: ReadonlyArray<string>, wanted: string, answerId: string): string =>
  wanted === "" || taken.includes(wanted)
    ? // The id of the answer makes it differ from those of other turns.
      `call_${answerId.replaceAll(/[^A-Za-z0-9]/g, "")}_${taken.length}`
    : wanted

/** Mistral takes nine letters or digits and nothing else (400, code 3280). */
export const nineCharacters: CallIds = (id) =>
  nine.test(id) ? id : Bun.hash(id).toString(36).padStart(9, "0").slice(-9)

const nine = /^[A-Za-z0-9]{9}$/
