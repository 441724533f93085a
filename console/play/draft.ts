/** The families of the playground. */
export const families = ["messages", "responses", "chat", "embeddings", "task", "videos"] as const
export type Family = (typeof families)[number]
export const isFamily = (name: string | null): name is Family => families.some((family) => family === name)

/** A dropped file, as base64. */
export interface DroppedFile {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly data: string
}

export interface FunctionTool {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
}

/** A tool call of the model. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** An answer with tool calls and their results. */
export interface ToolTurn {
  readonly text: string
  readonly calls: ReadonlyArray<ToolCall>
  readonly outputs: ReadonlyArray<string>
}

export interface Draft {
  readonly family: Family
  readonly model: string
  readonly system: string
  readonly user: string
  readonly files: ReadonlyArray<DroppedFile>
  readonly tools: ReadonlyArray<FunctionTool>
  readonly hasSearch: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly video: { readonly resolution: string; readonly ratio: string; readonly seconds: number }
  readonly turns: ReadonlyArray<ToolTurn>
}

export const paths: Readonly<Record<Family, string>> = {
  messages: "/v1/messages",
  task: "/v1/messages",
  responses: "/v1/responses",
  chat: "/v1/chat/completions",
  embeddings: "/v1/embeddings",
  videos: "/api/v3/contents/generations/tasks"
}

export const isStreamed = (family: Family): boolean =>
  family === "messages" || family === "responses" || family === "chat"
