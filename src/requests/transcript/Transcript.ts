/** A piece of a message. Texts are as they were recorded: readers must not parse markup in them. */
export type Part =
  | { readonly kind: "text" | "reasoning" | "refusal"; readonly text: string }
  /** @property text the arguments: indented JSON, otherwise as they came */
  | { readonly kind: "call"; readonly name: string; readonly id: string | undefined; readonly text: string }
  | {
      readonly kind: "result"
      readonly id: string | undefined
      readonly isError: boolean
      readonly parts: ReadonlyArray<Part>
    }
  /** @property text an address, a name or a media type: recorded bodies have no files */
  | { readonly kind: "image" | "file" | "audio" | "video"; readonly text: string }
  /** A part that this version does not know. @property name its type */
  | { readonly kind: "other"; readonly name: string; readonly text: string }

/** A message of one side. */
export interface TranscriptMessage {
  /** `system`, `user`, `assistant`, `tool`, or as it was sent. */
  readonly role: string
  readonly isAnswer: boolean
  readonly parts: ReadonlyArray<Part>
}

/** A request and its answer as a conversation. */
export interface Transcript {
  readonly turns: ReadonlyArray<TranscriptMessage>
  /** The names of the tools that were offered. */
  readonly tools: ReadonlyArray<string>
  /** The error that was answered, or that ended a stream. */
  readonly error: string | undefined
}
