/** A request, independent of any family. */
export interface Ask {
  readonly model: string
  readonly text: string
  readonly stream: boolean
  readonly tools?: boolean
  readonly thinks?: boolean
  readonly searches?: boolean
  /** True to mark what is to be cached, wherever the family has marks. */
  readonly marks?: boolean
  /** A PNG in base64. */
  readonly image?: string
  /** A PDF in base64. */
  readonly document?: string
  readonly stop?: string
  /** The JSON Schema of the answer. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** Goes on behind an answer, which is sent back as the client read it: `text` is then what the user says next. */
  readonly behind?: Behind
}

export interface Behind {
  readonly asked: string
  readonly answer: Answer
  /** For each of its calls; `text` is not asked where there are any. */
  readonly results: ReadonlyArray<ToolResult>
}

export interface ToolResult {
  readonly id: string
  readonly text: string
  readonly isError?: boolean
  readonly image?: string
}

/** The answer as the official client returns it. */
export interface Answer {
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly ended: "stop" | "tools" | "max" | "refusal"
  /** Which stop sequence it was, where the dialect says it. */
  readonly stopSequence?: string | null
  readonly model: string
  /** The whole input, and the part of it that was read from a cache. */
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly headers: Headers
  /** In the dialect's own words, to be sent back. */
  readonly said: unknown
}

export interface Caller {
  readonly ask: (ask: Ask) => Promise<Answer>
  /** The part of a stream before its failure, and the error. */
  readonly broken: (ask: Ask) => Promise<Broken>
}

export interface Broken {
  readonly text: string
  readonly error: unknown
}

export const mark = { cache_control: { type: "ephemeral" } } as const

/** The only tool there is. */
export const weather = {
  name: "get_weather",
  description: "The weather",
  parameters: {
    type: "object" as const,
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  }
}

/** Reads on until something breaks. */
export const breaking = async (read: (say: (text: string) => void) => Promise<unknown>): Promise<Broken> => {
  let text = ""
  try {
    await read((more) => {
      text += more
    })
  } catch (error) {
    return { text, error }
  }
  throw new Error("the answer did not break")
}
